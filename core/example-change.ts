import { createHash } from 'node:crypto'
import { fieldNames } from '../schema/monitor/extract-config.ts'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'
import type { SerpMonitorSpec } from '../schema/serp/serp-monitor.ts'
import type { Json, Values } from '../schema/shape/json.ts'
import { valueOf } from './diff/diff-values.ts'
import { listChanges, type PayloadInput } from './payload.ts'
import { numericFields } from './predicate/fires.ts'
import { searchUrl } from './serp/search-url.ts'

/** What changed, for a message that has no id yet. */
export type ChangeContent = Omit<PayloadInput, 'id' | 'test'>

/** The id of a run and of a monitor that are made up. */
export const MADE_UP_ID = '00000000-0000-0000-0000-000000000000'

/** What a made-up change is about, besides the configuration. */
export interface Example {
  readonly nowMs: number
  /** Absent: the monitor is made up too. */
  readonly monitorId?: string
  /** What a check has just read. */
  readonly values?: Values
}

type PageSpec = Pick<MonitorSpec, 'name' | 'url' | 'extract_config' | 'diff_predicate'>

/** The monitor of a message about a destination that no monitor has. */
export const EXAMPLE_PAGE: PageSpec = {
  name: 'Example',
  url: 'https://example.com/',
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
}

/** Returns a change of a page that did not happen, as a run of this monitor could find it. */
export function examplePageChange(
  { nowMs, monitorId = MADE_UP_ID, values = {} }: Example,
  spec: PageSpec,
): ChangeContent {
  const { name, url, extract_config: extract, diff_predicate: predicate } = spec
  const about = { monitorId, runId: MADE_UP_ID, firedAtMs: nowMs, monitor: { name, url } }
  if (extract.method === 'full_page')
    return { ...about, diff: diffOf('content_hash', hashOf('before'), hashOf('after')), text: LINES }
  const numeric = numericFields(predicate)
  const field = [...numeric, ...fieldNames(extract)][0] ?? 'value'
  const [before, after] = pair(valueOf(values, field), numeric.has(field))
  const diff = diffOf(field, before, after)
  return { ...about, diff, lists: listChanges(diff), numericFields: numeric.has(field) ? [field] : [] }
}

/** Where a check has read a value, it is the new one. */
function pair(now: Json, isNumeric: boolean): readonly [before: Json, after: Json] {
  if (Array.isArray(now) && now.length > 0) return [now.slice(1), now]
  if (isNumeric) return ['$19.99', now ?? '$17.49']
  return ['the value before', now ?? 'the value after']
}

const diffOf = (field: string, before: Json, after: Json) => ({
  fields_changed: [field],
  before: { [field]: before },
  after: { [field]: after },
})

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const LINES = { lines_added: 1, lines_removed: 1, excerpt: '- A line of the page before\n+ The same line after' }

type SearchSpec = Pick<
  SerpMonitorSpec,
  'name' | 'keyword' | 'engine' | 'location_code' | 'language_code' | 'mode' | 'target_domain'
>

/** Returns a change of a search that did not happen. */
export function exampleSearchChange({ nowMs, monitorId = MADE_UP_ID }: Example, spec: SearchSpec): ChangeContent {
  const { name, keyword, mode, target_domain: target } = spec
  const monitor = { name, url: searchUrl(spec) }
  const about = { monitorId, runId: MADE_UP_ID, firedAtMs: nowMs, diff: null, monitor }
  if (mode === 'full_analysis')
    return { ...about, serp_analysis: { keyword, results: [NEW, KEPT], previous_results: [KEPT] } }
  const moved = { rank: 3, previous_rank: 8, rank_delta: 5 }
  return { ...about, serp: { keyword, target_domain: target ?? 'example.com', ...moved } }
}

const KEPT = { rank: 2, title: 'A result of before', description: '', domain: 'https://example.com/' }
const NEW = { rank: 1, title: 'A new result', description: '', domain: 'https://example.org/' }
