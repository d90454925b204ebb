/** The longest path that is kept through a sign-in: it is a field of the form. */
export const MAX_PATH_LENGTH = 500
const ANY_ORIGIN = 'http://tidemark.invalid'

/**
 * Returns a path of this service as a browser reads it, with its query and fragment. Null: it leads elsewhere, or
 * nowhere. A browser takes `//host` and `/\\host` for another host, and removes dots and line breaks before it looks.
 */
export function ownPath(text: string | undefined): string | null {
  if (text === undefined || text.length > MAX_PATH_LENGTH || !text.startsWith('/')) return null
  const url = URL.parse(text, ANY_ORIGIN)
  if (url === null || url.origin !== ANY_ORIGIN || url.pathname.startsWith('//')) return null
  const path = url.pathname + url.search + url.hash
  return path.length > MAX_PATH_LENGTH ? null : path
}
