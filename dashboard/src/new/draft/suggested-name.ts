import type { Look } from '../../api/types.ts'

/** Returns a name for a monitor of a page: its heading, or else the site and the end of the path. */
export function suggestedName(url: string, look: Look | null): string {
  const heading = look?.elements.find(({ tag, text }) => tag === 'h1' && text !== '')?.text
  if (heading !== undefined) return heading.slice(0, 120)
  const address = URL.parse(url)
  if (address === null) return ''
  const last = address.pathname.split('/').findLast((part) => part !== '') ?? ''
  return `${address.host}${last === '' ? '' : ` ${last}`}`.slice(0, 120)
}

/** Returns what somebody typed as an address of the web: `shop.example/kettle` is one of https. */
export function asAddress(typed: string): string {
  const text = typed.trim()
  return text === '' || /^[a-z][a-z\d+.-]*:/i.test(text.replace(/^[\w.-]+:\d+/, '')) ? text : `https://${text}`
}
