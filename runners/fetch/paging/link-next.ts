/** One link-value of RFC 8288: its target and its parameters as text. */
const LINK = /<([^<>]*)>((?:[^",<]|"(?:[^"\\]|\\.)*")*)/g
const PARAMETER = /;\s*([\w!#$&+\-.^`|~]+\*?)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?/g

/**
 * Returns the target of the first link with the relation `next` in a Link header (RFC 8288), unchanged, or null. Of a
 * link's `rel` parameters the first counts. A link with an `anchor` is about another page and is skipped.
 */
export function nextLink(header: string | null): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(LINK)) {
    const named = new Map<string, string>()
    for (const [, name = '', quoted, token] of parameters.matchAll(PARAMETER)) {
      const key = name.toLowerCase()
      if (!named.has(key)) named.set(key, quoted?.replace(/\\(.)/g, '$1') ?? token ?? '')
    }
    const relations = (named.get('rel') ?? '').toLowerCase().split(/\s+/)
    if (relations.includes('next') && !named.has('anchor')) return target.trim()
  }
  return null
}
