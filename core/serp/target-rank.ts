import { hostOf, readSearchTarget, type SearchTarget } from '../../schema/serp/search-target.ts'
import type { SerpResult } from '../../schema/serp/serp-result.ts'
import { publicSuffix } from './public-suffix.ts'

/**
 * Returns the position of the first result that the target matches; null: it is not in the list. `unknown`: the engine
 * hides the address of a result before it, or of any when none matches, and that result may be it.
 *
 * A domain matches its host and all hosts below it: `example.com` matches `shop.example.com`, and `shop.example.com`
 * does not match `example.com`. The beginning of an address matches addresses that begin with it: `example.com/a`
 * matches `www.example.com/a/b` and `example.com/ab`, and no other host. A word matches a whole label of a host, but
 * for its public suffix: `amazon` matches `www.amazon.co.uk`, and `co` does not. What begins with `/` or `?` is found
 * anywhere behind the host, at the start of a segment or of a parameter: `/blog` matches `example.com/en/blogs`.
 */
export function targetRank(target: string, results: readonly SerpResult[]): number | null | 'unknown' {
  const wanted = readSearchTarget(target)
  if (wanted === null) return null
  for (const result of results) {
    // The engine hides where this result leads.
    if (result.domain === '') return 'unknown'
    if (matches(wanted, result)) return result.position
  }
  return null
}

function matches(target: SearchTarget, { url, domain }: SerpResult): boolean {
  const host = hostOf(domain)
  switch (target.kind) {
    case 'site':
      if (target.path === '') return host === target.host || host.endsWith(`.${target.host}`)
      return host === target.host && behindHost(url).startsWith(target.path)
    case 'label':
      return labelsOf(domain.replace(/\.$/, '')).includes(target.label) && behindHost(url).startsWith(target.path)
    case 'fragment':
      return contains(behindHost(url), target.fragment)
  }
}

/** Returns the path and the query of an address; of one that cannot be read, nothing. */
function behindHost(address: string): string {
  const url = URL.parse(address)
  return url === null ? '' : url.pathname + url.search
}

/** Returns the labels of a host without those of its public suffix: of `www.amazon.co.uk`, `www` and `amazon`. */
function labelsOf(host: string): readonly string[] {
  const suffix = publicSuffix(host)
  return (suffix === null ? host : host.slice(0, -suffix.length)).split('.')
}

/** A query begins at a parameter. Another part begins with its slash, so it is at the start of a segment anywhere. */
const contains = (address: string, fragment: string): boolean =>
  fragment.startsWith('?')
    ? address.includes(fragment) || address.replace(/^[^?]*/, '').includes(`&${fragment.slice(1)}`)
    : address.includes(fragment)

/** Returns whether a target can match anything at all. */
export const isTarget = (text: string): boolean => readSearchTarget(text) !== null
