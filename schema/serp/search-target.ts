/**
 * What a target of `rank_tracking` means. `site`: a host and the hosts below it, or the beginning of an address on that
 * host. `label`: a word that is a whole label of a host, such as `amazon` in `www.amazon.co.uk`. `fragment`: a part of
 * an address behind its host. Hosts and paths are written as in addresses: `xn--…`, `%20`.
 */
export type SearchTarget =
  | { readonly kind: 'site'; readonly host: string; readonly path: string }
  | { readonly kind: 'label'; readonly label: string; readonly path: string }
  | { readonly kind: 'fragment'; readonly fragment: string }

/** Stands in where only a part of an address is given. */
const ANY_SITE = 'any.example'

/**
 * Returns what a text asks to look for: a domain, a word, the beginning of an address with or without its scheme, or
 * what begins with `/` or `?`. Null: no result can match it.
 */
export function readSearchTarget(text: string): SearchTarget | null {
  const trimmed = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
  // URL would drop control characters, and reads a backslash as a slash.
  if (/[\u0000-\u0020\u007f\\]/.test(trimmed)) return null
  if (/^[/?]/.test(trimmed)) return fragmentOf(trimmed)
  const [, scheme = 'https://', rest = ''] = /^([a-z][a-z+.-]*:\/\/)?(.*)$/is.exec(trimmed) ?? []
  // URL would take the first part of a path for the host.
  if (!/^[^/?#]/.test(rest) || !/^https?:/i.test(scheme)) return null
  return wordOf(rest) ?? siteOf(URL.parse(scheme + rest))
}

/** A path or a query of one character is that of every address. */
function fragmentOf(text: string): SearchTarget | null {
  const url = URL.parse(`https://${ANY_SITE}${text}`)
  const fragment = url === null ? '' : text.startsWith('?') ? url.search : url.pathname + url.search
  return fragment.length > 1 ? { kind: 'fragment', fragment } : null
}

/** A host of one label is a word: no site of the public web has such a host. */
function wordOf(rest: string): SearchTarget | null {
  const [, word, behind = ''] = /^([^./?#:@[\]]+)((?:[:/?#].*)?)$/s.exec(rest) ?? []
  const url = word === undefined ? null : URL.parse(`https://${word}.${ANY_SITE}${behind}`)
  // The text before an @ is not a host.
  if (url === null || !url.hostname.endsWith(`.${ANY_SITE}`) || !canBeHost(url.hostname)) return null
  return { kind: 'label', label: url.hostname.slice(0, -ANY_SITE.length - 1), path: pathOf(url) }
}

function siteOf(url: URL | null): SearchTarget | null {
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '') return null
  if (!canBeHost(url.hostname)) return null
  return { kind: 'site', host: hostOf(url.hostname), path: pathOf(url) }
}

/** URL takes a `*` and an empty label, as in `*.example.com` and `.example.com`. No host of a result has either. */
const canBeHost = (host: string): boolean => !/\*|^\.|\.\./.test(host)

/** With its slash; empty: any page of the site. */
const pathOf = ({ pathname, search }: URL): string => (pathname === '/' && search === '' ? '' : pathname + search)

/** Returns a host in the form that targets and results are compared in: `www.` and a dot at its end do not count. */
export const hostOf = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '')
