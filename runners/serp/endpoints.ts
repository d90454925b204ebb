import { SERP_ENGINES, type SerpEngine } from '../../schema/serp/serp-search.ts'

/** Origins to ask instead of the engines' own, as of a server with saved pages. */
export type SerpEndpoints = Readonly<Partial<Record<SerpEngine, string>>>

/** Hosts of an engine, those that ask for consent included. */
const HOSTS: Readonly<Record<SerpEngine, RegExp>> = {
  google: /^(?:(?:www|consent|ipv4|ipv6)\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?$/,
  bing: /^(?:(?:www|cn)\.)?bing\.com$/,
  yahoo: /^(?:[a-z]{2,8}\.)?search\.yahoo\.com$|^(?:consent|guce)\.yahoo\.com$/,
  duckduckgo: /^(?:(?:www|html|lite|noai)\.)?duckduckgo\.com$/,
  yandex: /^(?:(?:www|m)\.)?yandex\.[a-z]{2,3}(?:\.[a-z]{2})?$|^ya\.ru$/,
}

/** Reads the setting: JSON that maps engines to origins. Returns a sentence when it is wrong. */
export function readEndpoints(text: string | undefined): SerpEndpoints | string {
  if (text === undefined) return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'must be JSON, as in {"google":"http://127.0.0.1:9000"}'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object'
  const endpoints: Partial<Record<SerpEngine, string>> = {}
  for (const [name, origin] of Object.entries(value)) {
    const engine = SERP_ENGINES.find((one) => one === name)
    if (engine === undefined) return `names ${JSON.stringify(name)}; the engines are ${SERP_ENGINES.join(', ')}`
    const url = typeof origin === 'string' ? URL.parse(origin) : null
    if (url === null || !/^https?:$/.test(url.protocol) || (url.pathname !== '/' && url.pathname !== ''))
      return `has no origin for ${engine}; write one as in http://127.0.0.1:9000`
    endpoints[engine] = url.origin
  }
  return endpoints
}

/** Returns an address of an engine at its endpoint; other addresses, and those without an endpoint, as they are. */
export function toEndpoint(address: string, engine: SerpEngine, endpoints: SerpEndpoints): string {
  const origin = endpoints[engine]
  const url = URL.parse(address)
  if (origin === undefined || url === null || !HOSTS[engine].test(url.hostname)) return address
  return `${origin}${url.pathname}${url.search}`
}

/** Returns an address at an endpoint as that of the engine, whose own address is `own`. */
export function fromEndpoint(address: string, own: string, origin: string | undefined): string {
  const url = URL.parse(address)
  if (origin === undefined || url?.origin !== origin) return address
  return `${new URL(own).origin}${url.pathname}${url.search}`
}
