import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import { tokenOf } from './google-destinations.ts'

/** Where a link of a page of results leads. */
type Destination =
  | { readonly kind: 'url'; readonly url: URL }
  /** The engine hides it. */
  | { readonly kind: 'hidden'; readonly token: string }
  /** An advert, a page of the engine itself, or nothing that can be opened. */
  | { readonly kind: 'none' }

const NONE: Destination = { kind: 'none' }
/** Redirects inside each other that are followed. */
const MAX_UNWRAPPED = 4
const LONGEST = 8_192

const GOOGLE = /^(?:[a-z0-9-]+\.)*google\.[a-z]{2,3}(?:\.[a-z]{2})?$/
const GOOGLE_ADS = /^(?:[a-z0-9-]+\.)*(?:googleadservices|doubleclick)\.[a-z.]+$/
const BING = /^(?:[a-z0-9-]+\.)*bing\.com$/
const YAHOO_REDIRECT = /^(?:r|rd|ri)\.search\.yahoo\.(?:com|co\.jp)$/
const DUCKDUCKGO = /^(?:[a-z0-9-]+\.)*duckduckgo\.com$/
const YANDEX = /^(?:[a-z0-9-]+\.)*(?:yandex|ya)\.[a-z]{2,3}(?:\.[a-z]{2})?$/
/** Hosts of adverts, and of the blocks of an engine that stand between its results. */
const ADVERTS = /^(?:yabs|an|bs|market|maps|images|video|uslugi)\.yandex\.[a-z.]+$|^(?:\d+\.)?r\.msn\.com$/

/** Parts of an engine to which the blocks between results lead. */
const INSIDE: Readonly<Record<SerpEngine, RegExp>> = {
  google: /^\/(?:search|imgres|maps|preferences|travel|shopping|aclk|sorry|setprefs|webhp|httpservice)(?:\/|$)/,
  bing: /^\/(?:search|images|videos|maps|news|shop|aclick|aclk|turing)(?:\/|$)/,
  yahoo: /^\//,
  duckduckgo: /^\/(?:y\.js|l\/?|html\/?|lite\/?|anomaly\.js)?$/,
  yandex: /^\/(?:images|video|search|maps|news|uslugi|collections|products|showcaptcha|checkcaptcha|clck)(?:\/|$)/,
}

const HOSTS: Readonly<Record<SerpEngine, RegExp>> = {
  google: /^(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?$/,
  bing: /^(?:www\.|cn\.)?bing\.com$/,
  yahoo: /(?:^|\.)search\.yahoo\.(?:com|co\.jp)$/,
  duckduckgo: /^(?:html\.|lite\.|www\.|noai\.)?duckduckgo\.com$/,
  yandex: /^(?:www\.|m\.)?(?:yandex|ya)\.[a-z]{2,3}(?:\.[a-z]{2})?$/,
}

/** What decides where a link of a page leads. */
export interface LinkContext {
  readonly engine: SerpEngine
  /** The page's address at the engine. */
  readonly base: string
  /** Destinations of the links that Google hides, by their token. */
  readonly hidden: ReadonlyMap<string, string>
}

/**
 * Returns where a link leads, without the redirects of the engines around it. The destination is never one of these
 * redirects, has no fragment and none of the parameters that the engine adds.
 */
export function destinationOf(href: string, context: LinkContext): Destination {
  let url = parse(href, context.base)
  for (let depth = 0; url !== null && depth < MAX_UNWRAPPED; depth++) {
    const inner = unwrap(url, context)
    if (inner === null) return isOpenable(url, context.engine) ? { kind: 'url', url: cleaned(url) } : NONE
    if (typeof inner !== 'string') return inner
    url = parse(inner, null)
  }
  return NONE
}

function parse(href: string, base: string | null): URL | null {
  if (href.length > LONGEST) return null
  const url = base === null ? URL.parse(href) : URL.parse(href.trim(), base)
  return url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '' ? url : null
}

/** The redirects of one engine: what they lead to; null: the address is none of them. */
interface Redirects {
  readonly hosts: RegExp
  readonly inner: (url: URL, context: LinkContext) => string | Destination | null
}

const REDIRECTS: readonly Redirects[] = [
  { hosts: GOOGLE_ADS, inner: () => NONE },
  { hosts: ADVERTS, inner: () => NONE },
  { hosts: GOOGLE, inner: (url, { hidden }) => fromGoogle(url, hidden) },
  { hosts: BING, inner: fromBing },
  { hosts: YAHOO_REDIRECT, inner: ({ pathname }) => fromYahoo(pathname) },
  { hosts: DUCKDUCKGO, inner: fromDuckduckgo },
  { hosts: YANDEX, inner: fromYandex },
]

function unwrap(url: URL, context: LinkContext): string | Destination | null {
  return REDIRECTS.find(({ hosts }) => hosts.test(url.hostname))?.inner(url, context) ?? null
}

function fromBing({ pathname: path, searchParams }: URL): string | Destination | null {
  if (path.startsWith('/ck/')) return fromBase64(searchParams.get('u'))
  if (path === '/rebates/welcome') return searchParams.get('url') ?? NONE
  return /^\/acli?c?k/.test(path) ? NONE : null
}

function fromDuckduckgo({ pathname: path, searchParams }: URL): string | Destination | null {
  if (path === '/y.js') return NONE
  return path === '/l/' || path === '/l' ? (searchParams.get('uddg') ?? NONE) : null
}

function fromYandex({ pathname: path, searchParams }: URL, { engine }: LinkContext): string | Destination | null {
  if (path === '/turbo') return searchParams.get('text') ?? NONE
  if (path.startsWith('/clck/')) return NONE
  // A block of another service of Yandex, set like a result.
  const source = searchParams.get('utm_source') ?? searchParams.get('from') ?? ''
  return engine === 'yandex' && source.includes('wizard') ? NONE : null
}

function fromGoogle(url: URL, hidden: ReadonlyMap<string, string>): string | Destination | null {
  const { pathname: path, searchParams } = url
  if (/^\/(?:pagead\/)?aclk/.test(path)) return NONE
  const given = path === '/url' ? searchParams.get('q') || searchParams.get('url') : null
  if (path === '/url' && !given) return NONE
  if (path !== '/goto' && !given?.startsWith('CAES')) return given
  const token = tokenOf(given === null ? url.href : `/goto?url=${given}`)
  if (token === null) return NONE
  return hidden.get(token) ?? { kind: 'hidden', token }
}

/** Bing writes `a1` and then base64url. */
function fromBase64(value: string | null): string | Destination {
  if (value === null || !value.startsWith('a1')) return NONE
  const text = Buffer.from(value.slice(2), 'base64url').toString('utf8')
  return /^https?:\/\//i.test(text) ? text : NONE
}

/** Yahoo writes the destination into the path: `…/RU=https%3a%2f%2f…/RK=2/RS=…`. */
function fromYahoo(path: string): string | Destination {
  const found = /\/RU=([^/]+)\//.exec(`${path}/`)?.[1]
  if (found === undefined) return NONE
  try {
    return decodeURIComponent(found)
  } catch {
    return NONE
  }
}

function isOpenable({ hostname, pathname, search }: URL, engine: SerpEngine): boolean {
  if (HOSTS[engine].test(hostname) && (INSIDE[engine].test(pathname) || (pathname === '/' && search === '')))
    return false
  return !hostname.startsWith('webcache.googleusercontent')
}

/** What Google adds to addresses of shops; it differs from one view to the next. */
const ADDED = 'srsltid'
/** What campaigns and networks add to an address; two results that differ by these alone are the same page. */
const OF_CAMPAIGNS = /^(?:utm_.*|srsltid|gclid|msclkid|__xts__(?:\[\d+\])?)$/

function cleaned(url: URL): URL {
  url.hash = ''
  // Writing the parameters again changes their encoding, so it is done only where it is needed.
  if (url.searchParams.has(ADDED)) url.searchParams.delete(ADDED)
  return url
}

/** Returns what makes two results the same page: neither scheme, nor parameters of campaigns, nor case of the host. */
export function sameness(address: string): string {
  const url = URL.parse(address)
  if (url === null) return address
  for (const name of Array.from(url.searchParams.keys())) {
    if (OF_CAMPAIGNS.test(name)) url.searchParams.delete(name)
  }
  return `${url.host}${url.pathname}${url.search}`
}
