/** Hosts with known result pages, without `www.`, and the path and parameter of those pages. */
const ENGINES: readonly { readonly host: RegExp; readonly path: RegExp; readonly query: string }[] = [
  { host: /^google\.(?:com?\.)?[a-z]{2,3}$/, path: /^\/search$/, query: 'q' },
  { host: /^(?:[a-z]{2}\.|cn\.)?bing\.com$/, path: /^\/search$/, query: 'q' },
  { host: /^(?:html\.|lite\.)?duckduckgo\.com$/, path: /^\/(?:html\/?|lite\/?)?$/, query: 'q' },
  { host: /^(?:[a-z]{2}\.)?search\.yahoo\.com$/, path: /^\/(?:mobile\/s|search)(?:;.*)?$/, query: 'p' },
  { host: /^search\.yahoo\.co\.jp$/, path: /^\/search$/, query: 'p' },
  { host: /^search\.brave\.com$/, path: /^\/search$/, query: 'q' },
  { host: /^yandex\.(?:com(?:\.tr)?|ru|kz|by|uz)$/, path: /^\/search\/?$/, query: 'text' },
  { host: /^ya\.ru$/, path: /^\/search\/?$/, query: 'text' },
  { host: /^baidu\.com$/, path: /^\/s$/, query: 'wd' },
  { host: /^ecosia\.org$/, path: /^\/search$/, query: 'q' },
  { host: /^startpage\.com$/, path: /^\/(?:sp|do)\/(?:search|dsearch)$/, query: 'query' },
  { host: /^search\.naver\.com$/, path: /^\/search\.naver$/, query: 'query' },
  { host: /^qwant\.com$/, path: /^\/$/, query: 'q' },
]

/** Returns whether an address is a page of search results. Such a page is rendered in a browser even under `auto`. */
export function isSearchResultsUrl(address: string): boolean {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false
  const host = url.hostname.replace(/\.$/, '').replace(/^(?:www|m)\./, '')
  return ENGINES.some(
    (engine) => engine.host.test(host) && engine.path.test(url.pathname) && url.searchParams.has(engine.query),
  )
}
