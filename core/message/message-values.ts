import type { DeliveryPayload } from '../../schema/run/delivery.ts'
import type { ListedResult } from '../../schema/serp/serp-result.ts'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import { valueOf } from '../diff/diff-values.ts'
import { movementNote } from '../text/movement-note.ts'
import type { MessageValues } from './render-message.ts'

/** What a message in a user's own words may name: what changed, and what is known of its monitor. */
interface MessageFacts {
  readonly payload: Omit<DeliveryPayload, 'id' | 'version' | 'test'>
  /** The changed fields that the predicate reads as numbers. */
  readonly numericFields: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** The changes as every message tells them. */
  readonly changes: string
  /** Null: there is no dashboard. */
  readonly runUrl: string | null
  /** Of a search. */
  readonly engine?: SerpEngine
  /** What the run has read of fields that did not change. */
  readonly values?: Values | undefined
}

/** Returns the values of the names of schema/message/message.ts. A name without a value is absent or null. */
export function messageValues(facts: MessageFacts): MessageValues {
  const { payload, labels, changes, runUrl } = facts
  const { monitor, monitor_id, run_id, fired_at, text, visual } = payload
  return {
    monitor: { name: monitor.name, id: monitor_id, url: monitor.url, labels },
    fields: fieldsOf(facts),
    lists: listsOf(payload),
    changes,
    text: { excerpt: text?.excerpt },
    visual: { change_pct: visual?.change_pct },
    serp: searchOf(facts),
    run: { id: run_id, url: runUrl },
    fired_at,
  }
}

function fieldsOf({ payload: { diff }, numericFields, values = {} }: MessageFacts): MessageValues {
  const same = Object.entries(values).map(([name, value]): [string, MessageValues] => [
    name,
    { before: value, after: value },
  ])
  const fields = diff.fields_changed.map((name): [string, MessageValues] => {
    const before = valueOf(diff.before as Values, name)
    const after = valueOf(diff.after as Values, name)
    return [name, { before, after, change: movementNote(before, after, numericFields.includes(name)) }]
  })
  return Object.fromEntries([...same, ...fields])
}

function listsOf({ lists = {} }: MessageFacts['payload']): MessageValues {
  const named = Object.entries(lists).map(([name, { added, removed, moved }]): [string, MessageValues] => [
    name,
    { added: added as Json[], removed: removed as Json[], moved: moved as Json[] },
  ])
  return Object.fromEntries(named)
}

function searchOf({ payload: { serp, serp_analysis: analysis }, engine }: MessageFacts): MessageValues {
  const { rank, previous_rank, rank_delta } = serp ?? {}
  return {
    keyword: serp?.keyword ?? analysis?.keyword,
    engine,
    rank,
    previous_rank,
    rank_delta,
    added: analysis && onlyIn(analysis.results, analysis.previous_results),
    removed: analysis && onlyIn(analysis.previous_results, analysis.results),
  }
}

/** Returns the titles of the results that the other list does not have. */
function onlyIn(results: readonly ListedResult[], others: readonly ListedResult[]): string[] {
  const known = new Set(others.map(keyOf))
  return results.filter((result) => !known.has(keyOf(result))).map(({ title }) => title)
}

const keyOf = ({ domain, title }: ListedResult) => JSON.stringify([domain, title])
