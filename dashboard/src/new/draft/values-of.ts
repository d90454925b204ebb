import type { ExtractConfig, Look, LookExtracted } from '../../api/types.ts'

type Extracted = NonNullable<LookExtracted['rendered']>

/** What a run would store, and how it gets it. */
export interface StoredValues {
  readonly fields: Readonly<Record<string, unknown>>
  readonly matches: Extracted['matches']
  /** A monitor that fetches would not store these values: a browser has to render the page each time. */
  readonly needsBrowser: boolean
  /** Why there are none. */
  readonly failure: string | null
}

/**
 * Returns the values of the document that a run would read. It is the fetched one, unless only the rendered one has a
 * value, or another value. Whether a whole page needs a browser is known from the document alone.
 */
export function storedValues(look: Look, config: ExtractConfig, { fetched, rendered }: LookExtracted): StoredValues {
  const needsBrowser = isOfBrowser(config, { fetched, rendered })
  const isRendered = needsBrowser || (config.method === 'full_page' && look.needs_browser)
  const read = (isRendered ? rendered : fetched) ?? fetched ?? rendered
  return {
    fields: read?.fields ?? {},
    matches: (rendered ?? fetched)?.matches ?? {},
    needsBrowser,
    failure: read?.status === 'error' ? (read.error_message ?? 'The rules cannot be tried on this page.') : null,
  }
}

/** Returns whether only the rendered document gives the values. */
function isOfBrowser(config: ExtractConfig, { fetched, rendered }: LookExtracted): boolean {
  if (rendered?.status !== 'success') return false
  if (fetched?.status !== 'success') return true
  const names = 'fields' in config ? Object.keys(config.fields) : []
  return names.some((name) => isAnother(fetched.fields[name], rendered.fields[name]))
}

const isAnother = (fetched: unknown, rendered: unknown): boolean =>
  rendered !== null && rendered !== undefined && JSON.stringify(fetched) !== JSON.stringify(rendered)
