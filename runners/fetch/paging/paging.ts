import type { Pagination } from '../../../schema/monitor/request-config.ts'
import type { RunFault } from '../../../schema/run/run-fault.ts'
import { namesOf, withValueAt } from './dot-path.ts'
import { nextUrl } from './next-url.ts'
import type { PageFacts } from './page-facts.ts'
import { cutShort, nextFault } from './paging-faults.ts'
import { withQueryParam } from './query-param.ts'

/** One request for a page. */
export interface PageRequest {
  readonly url: string
  readonly body: string | null
  /**
   * Whether it goes to the origin of the monitor, and no request before it went elsewhere. Only then the user's headers
   * are sent.
   */
  readonly sameOrigin: boolean
}

/** The state between two pages. */
export interface Paging {
  readonly pagination: Pagination
  /** The monitor's own request. Requests of `page` and `cursor` are made from it. */
  readonly first: PageRequest
  readonly asked: PageRequest
  /** Pages read, and the items on them. */
  readonly pages: number
  readonly count: number
  readonly firstCount: number
  /** Cursors and addresses that were used: a repeated one would lead in a loop. */
  readonly seen: ReadonlySet<string>
}

/** A page that was read, and the URL of its response. */
interface Arrived {
  readonly facts: PageFacts
  /** After redirects. */
  readonly finalUrl: string
  /** The target of the Link header's `rel=next`, unchanged. */
  readonly link: string | null
}

export type Step =
  | { readonly kind: 'ask'; readonly paging: Paging }
  /** `warning`: the list may be longer. */
  | { readonly kind: 'done'; readonly warning?: string }
  | { readonly kind: 'failed'; readonly fault: RunFault }

/** The longest request body with a cursor in it, in characters. */
const MAX_BODY_CHARS = 256 * 1024

/** Returns the first step. `page` puts its start into the request; the other types send it unchanged. */
export function beginPaging(pagination: Pagination, url: string, body: string | null): Step {
  const first: PageRequest = { url, body, sameOrigin: true }
  const blank = { pagination, first, asked: first, pages: 0, count: 0, firstCount: 0 }
  const paging: Paging = { ...blank, seen: new Set([plainUrl(url)]) }
  return pagination.type === 'page' ? withValue(paging, String(pagination.start ?? 1)) : { kind: 'ask', paging }
}

/**
 * Returns the step after a page: the stop rules in their documented order, then the cap, then the next request. Pure.
 * It is not called for a page that failed.
 */
export function nextStep(before: Paging, arrived: Arrived): Step {
  const { facts } = arrived
  const isFirst = before.pages === 0
  const paging: Paging = {
    ...before,
    pages: before.pages + 1,
    count: before.count + facts.count,
    firstCount: isFirst ? facts.count : before.firstCount,
  }
  if (isLast(paging, facts))
    return { kind: 'done', ...(isShortOfMore(paging, facts) && { warning: endedEarly(paging) }) }
  const next = following(paging, arrived)
  if (next.kind !== 'ask') return next
  const { max_pages: maxPages = 20 } = paging.pagination
  return paging.pages >= maxPages ? { kind: 'failed', fault: cutShort(maxPages, paging.count) } : next
}

function isLast({ pagination, count, firstCount }: Paging, facts: PageFacts): boolean {
  if (facts.count === 0 || facts.hasMore === false) return true
  if (facts.total !== null && count >= facts.total) return true
  return pagination.type === 'page' && facts.count < firstCount
}

/** The page is short or empty, and yet it says that there is more. */
function isShortOfMore({ firstCount }: Paging, { count, hasMore }: PageFacts): boolean {
  return hasMore === true && (count === 0 || count < firstCount)
}

const endedEarly = ({ pagination, pages, count }: Paging): string =>
  `Page ${pages} is ${count === 0 ? 'empty' : 'shorter than the first'}, so the list ends there with ${count} items, ` +
  `although ${JSON.stringify(pagination.has_more_path)} is true on it. Check the pagination.`

function following(paging: Paging, { facts, finalUrl, link }: Arrived): Step {
  const { pagination } = paging
  switch (pagination.type) {
    case 'page':
      return withValue(paging, String((pagination.start ?? 1) + paging.pages * (pagination.step ?? 1)))
    case 'cursor':
      return facts.next === null ? { kind: 'done' } : byCursor(paging, facts.next)
    case 'next_url':
      return facts.next === null ? { kind: 'done' } : byUrl(paging, textOf(facts.next), finalUrl)
    case 'link_header':
      return link === null ? { kind: 'done' } : byUrl(paging, link, finalUrl)
  }
}

function byCursor(paging: Paging, json: string): Step {
  if (paging.seen.has(json)) return { kind: 'done' }
  return withValue({ ...paging, seen: new Set([...paging.seen, json]) }, json)
}

/** Puts a page number or cursor, given as JSON, into the monitor's own request. */
function withValue(paging: Paging, json: string): Step {
  const { pagination, first } = paging
  if (pagination.type !== 'page' && pagination.type !== 'cursor')
    throw new TypeError(`${pagination.type} does not send a value`)
  return pagination.in === 'body'
    ? withValueInBody(paging, first.body ?? '{}', pagination.param, json)
    : withValueInQuery(paging, pagination.param, json)
}

function withValueInQuery(paging: Paging, param: string, json: string): Step {
  const text = /^["\d-]/.test(json) ? textOf(json) : null
  if (text === null)
    return broken(paging, 'the cursor is neither text nor a number, so it cannot be put into the query; use in: body.')
  const url = URL.parse(paging.first.url)
  // The fetch reports what is wrong with the URL.
  const next = url === null ? paging.first.url : withQueryParam(url, param, text).href
  return { kind: 'ask', paging: { ...paging, asked: { ...paging.first, url: next } } }
}

function withValueInBody(paging: Paging, body: string, param: string, json: string): Step {
  const changed = withValueAt(body, namesOf(param), json)
  if (changed === null)
    return broken(paging, `${JSON.stringify(param)} does not lead through objects of request_config.body.`, 'bad_rule')
  if (changed.length > MAX_BODY_CHARS) return broken(paging, 'the cursor is too long to be sent back.', 'too_large')
  return { kind: 'ask', paging: { ...paging, asked: { ...paging.first, body: changed } } }
}

/** Returns a text unchanged and a number as its digits; null for anything else. */
function textOf(json: string): string | null {
  const value: unknown = JSON.parse(json)
  if (typeof value === 'string') return value
  return typeof value === 'number' ? json : null
}

/**
 * After a response from another origin, or a link to one, the user's headers are not sent any more, as with redirects.
 */
function byUrl(paging: Paging, raw: string | null, finalUrl: string): Step {
  if (raw === null) return broken(paging, 'the next URL is not text.')
  const url = nextUrl(raw, finalUrl)
  if (!url.ok) return broken(paging, url.message, 'target_not_allowed')
  const { href, origin } = url.url
  if (paging.seen.has(href) || href === finalUrl) return { kind: 'done' }
  const own = originOf(paging.first.url)
  const sameOrigin = paging.asked.sameOrigin && originOf(finalUrl) === own && origin === own
  const { body } = paging.first
  if (body !== null && origin !== own)
    return broken(paging, 'it is on another site, to which the request body is not sent.', 'target_not_allowed')
  const seen = new Set([...paging.seen, href])
  return { kind: 'ask', paging: { ...paging, seen, asked: { url: href, body, sameOrigin } } }
}

function broken(paging: Paging, why: string, code: RunFault['code'] = 'wrong_type'): Step {
  return { kind: 'failed', fault: nextFault(paging.pages + 1, code, why) }
}

const originOf = (url: string): string | null => URL.parse(url)?.origin ?? null

/** Returns the form in which URLs are compared: parsed, without a fragment. */
function plainUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null) return text
  url.hash = ''
  return url.href
}
