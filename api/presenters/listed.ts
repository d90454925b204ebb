import { cutJson, membersOf, objectOf } from '../../core/json-text.ts'
import { LIST_LIMITS } from '../../schema/list-limits.ts'
import type { Delivery } from '../../schema/run/delivery.ts'
import type { Run } from '../../schema/run/run.ts'
import { type ListedRun, type RunRow, type RunTexts, toRun } from '../../store/runs/run-record.ts'
import { jsonWith } from '../http/json-with.ts'

/** The paths of the values that were cut in one row. */
type Truncated = string[]

/** Cuts an object of values, as JSON. Keys of `parts` are not values themselves, and are handled by these. */
function cutMembers(
  { path, json, truncated }: { readonly path: string; readonly json: string; readonly truncated: Truncated },
  parts: Readonly<Record<string, (path: string, json: string) => string>> = {},
): string {
  if (!isLarge(Buffer.byteLength(json))) return json
  const members = membersOf(json).map(([name, value]) => {
    const own = `${path}.${name}`
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined
    if (part) return [name, part(own, value)] as const
    const cut = cutJson(value, LIST_LIMITS.valueBytes)
    if (cut !== null) truncated.push(own)
    return [name, cut ?? value] as const
  })
  return objectOf(members)
}

function cutDiff(path: string, json: string, truncated: Truncated): string {
  const values = (own: string, part: string) => cutMembers({ path: own, json: part, truncated })
  const whole = (_: string, part: string) => part
  return cutMembers({ path, json, truncated }, { before: values, after: values, fields_changed: whole })
}

const isLarge = (bytes: number): boolean => bytes > LIST_LIMITS.valueBytes
const named = (truncated: Truncated) => (truncated.length > 0 ? { truncated } : {})

/** Returns a run as lists show it. */
export function shownInList(stored: ListedRun): Run {
  const run = toRun(stored)
  if (!isLarge(stored.bytes)) return run
  const truncated: Truncated = []
  const extracted = cutMembers({ path: 'extracted', json: JSON.stringify(run.extracted), truncated })
  const diff = cutDiff('diff', JSON.stringify(run.diff), truncated)
  if (truncated.length === 0) return run
  return {
    ...run,
    extracted: JSON.parse(extracted) as Run['extracted'],
    diff: JSON.parse(diff) as Run['diff'],
    truncated,
  }
}

/** Returns the JSON of the same, of a run whose values are JSON. They are not parsed. */
export function runInList(head: RunRow, texts: Omit<RunTexts, 'id'>): string {
  const truncated: Truncated = []
  const extracted = texts.extracted && cutMembers({ path: 'extracted', json: texts.extracted, truncated })
  const diff = texts.diff && cutDiff('diff', texts.diff, truncated)
  const { warnings, organic_results } = texts
  return jsonWith(
    { ...toRun(head), ...named(truncated) },
    { ...written({ extracted, diff, warnings, organic_results }) },
  )
}

/** Returns the JSON of a whole run, whose values are JSON. */
export const wholeRun = (head: RunRow, { extracted, diff, warnings, organic_results }: RunTexts): string =>
  jsonWith(toRun(head), { extracted, diff, warnings, organic_results })

/** Leaves out what is null: the run has a default for it. */
const written = (texts: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null))

/** Returns the JSON of a delivery as lists show it. `payload` is its payload as JSON. */
export function deliveryInList(delivery: Delivery, payload: string): string {
  const truncated: Truncated = []
  const values = (path: string, json: string) => cutMembers({ path, json, truncated })
  const diff = (path: string, json: string) => cutDiff(path, json, truncated)
  const cut = cutMembers({ path: 'payload', json: payload, truncated }, { diff, lists: values })
  return jsonWith({ ...delivery, ...named(truncated) }, { payload: cut })
}
