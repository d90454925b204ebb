import { targetAddress } from '../../schema/rules/serp-rules.ts'
import type { SerpResult } from '../../schema/serp/serp-result.ts'

/** A target of `rank_tracking`, read. */
interface Target {
  /** In the form that addresses have, without `www.`. */
  readonly host: string
  /** With its slash; empty: any page of the site. */
  readonly path: string
}

/**
 * Returns the target that a text means; null when there is no host in it. `https://`, `www.` and the case of the host
 * make no difference. A path is compared as written.
 */
function readTarget(text: string): Target | null {
  const url = targetAddress(text)
  if (url === null) return null
  const path = url.pathname === '/' && url.search === '' ? '' : url.pathname + url.search
  return { host: siteOf(url.hostname), path }
}

const siteOf = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '')

/**
 * Returns the position of the first result that the target matches; null: it is not in the list. `unknown`: the engine
 * hides the address of a result before it, or of any when none matches, and that result may be it.
 *
 * A target without a path matches its host and all hosts below it: `example.com` matches `shop.example.com`, and
 * `shop.example.com` does not match `example.com`. One with a path matches addresses that begin with it:
 * `example.com/a` matches `www.example.com/a/b` and `example.com/ab`, and no other host.
 */
export function targetRank(target: string, results: readonly SerpResult[]): number | null | 'unknown' {
  const wanted = readTarget(target)
  if (wanted === null) return null
  for (const result of results) {
    const match = matches(wanted, result)
    if (match === 'unknown') return match
    if (match) return result.position
  }
  return null
}

function matches({ host, path }: Target, { url, domain }: SerpResult): boolean | 'unknown' {
  if (domain === '') return 'unknown'
  const site = siteOf(domain)
  if (path === '') return site === host || site.endsWith(`.${host}`)
  if (site !== host) return false
  const address = URL.parse(url)
  return address !== null && (address.pathname + address.search).startsWith(path)
}

/** Returns whether a target can match anything at all. */
export const isTarget = (text: string): boolean => readTarget(text) !== null
