import type { Pagination } from '../../../schema/monitor/request-config.ts'
import type { RunFault } from '../../../schema/run/run-fault.ts'
import { prescanJson } from '../../extract/json/prescan-json.ts'
import { decode } from '../../extract/text/charset.ts'
import { findSpan, namesOf } from './dot-path.ts'
import { countElements, isArrayAt, isJson } from './json-text.ts'
import { pageFault } from './paging-faults.ts'

/** The dot paths that are read from a page; null: not read. */
export interface PagePaths {
  /** Null: the response itself is the array. */
  readonly items: string | null
  readonly total: string | null
  readonly hasMore: string | null
  /** The next cursor or URL. */
  readonly next: string | null
}

/** The parts of a response that reading needs. */
export interface PageAnswer {
  readonly body: Uint8Array
  readonly contentType: string | null
}

/** What a page contains. All texts are JSON, unchanged from the response. */
export interface PageFacts {
  readonly count: number
  /** The text between the brackets of its items. */
  readonly items: string
  /**
   * The text before and after its items, brackets included. Only for the first page, whose frame the merged list uses.
   */
  readonly frame: { readonly head: string; readonly tail: string } | null
  /** Null: not read, absent, or not a count. */
  readonly total: number | null
  readonly hasMore: boolean | null
  /** The next cursor or URL. Null: not read, absent, `null`, `false` or an empty text. */
  readonly next: string | null
}

export type PageRead =
  | { readonly ok: true; readonly facts: PageFacts }
  | { readonly ok: false; readonly fault: RunFault }

export function pathsOf(pagination: Pagination): PagePaths {
  const { items_path: items = null, total_path: total = null, has_more_path: hasMore = null } = pagination
  return { items, total, hasMore, next: nextPathOf(pagination) }
}

function nextPathOf(pagination: Pagination): string | null {
  if (pagination.type === 'cursor') return pagination.cursor_path
  return pagination.type === 'next_url' ? pagination.next_url_path : null
}

/** Reads one page. Pure; linear in the response, whose size is checked before it is parsed. `number` counts from 1. */
export function readPage(answer: PageAnswer, paths: PagePaths, number: number): PageRead {
  const { text } = decode(answer.body, answer.contentType, 'json')
  const excess = prescanJson(text)
  if (excess !== null) return refused('too_complex', number, `${excess} Ask for smaller pages.`)
  if (!isJson(text))
    return refused(
      'wrong_type',
      number,
      'The answer is not JSON, so it has no items to read. Check the address and the request.',
    )
  const items = findSpan(text, namesOf(paths.items ?? '$'))
  if (items === null || !isArrayAt(text, items.start)) return refused('wrong_type', number, noItems(paths.items))
  const inner = text.slice(items.start + 1, items.end - 1)
  const frame = { head: text.slice(0, items.start + 1), tail: text.slice(items.end - 1) }
  const facts: PageFacts = {
    count: countElements(text, items),
    items: inner,
    frame: number === 1 ? frame : null,
    total: countOf(jsonAt(text, paths.total)),
    hasMore: booleanOf(jsonAt(text, paths.hasMore)),
    next: presentOf(jsonAt(text, paths.next)),
  }
  return { ok: true, facts }
}

function refused(code: RunFault['code'], number: number, message: string): PageRead {
  return { ok: false, fault: pageFault(number, { code, message }) }
}

function noItems(path: string | null): string {
  return path === null
    ? 'The answer is not an array. Set pagination.items_path to the path of the items.'
    : `There is no items array at ${JSON.stringify(path)}. Check pagination.items_path against the answer.`
}

function jsonAt(text: string, path: string | null): string | null {
  const span = path === null ? null : findSpan(text, namesOf(path))
  return span && text.slice(span.start, span.end)
}

/** A total may be a number or, from some services, its digits in a string. */
function countOf(json: string | null): number | null {
  return json !== null && /^"?\d{1,15}"?$/.test(json) ? Number(json.replaceAll('"', '')) : null
}

function booleanOf(json: string | null): boolean | null {
  return json === 'true' || json === 'false' ? json === 'true' : null
}

/** Services report "there is no next page" in all of these ways. */
function presentOf(json: string | null): string | null {
  return json === null || json === 'null' || json === 'false' || json === '""' ? null : json
}
