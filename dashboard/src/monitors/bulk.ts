import { ApiFault, ask } from '../api/client.ts'
import { explain, isPassing, retryMs } from '../api/faults.ts'
import { pause } from '../api/pause.ts'
import { type BulkDone, COLLECTIONS, LIMITS } from '../api/types.ts'
import type { Filters } from './filters.ts'
import type { Row } from './ordered-rows.ts'

export type Action =
  | 'run'
  | 'pause'
  | 'resume'
  | 'mute'
  | 'unmute'
  | 'label'
  | 'interval'
  | 'delete'
  | 'seen'
  | 'unseen'

/** The keys that single actions have beside their monitors. */
export type ActionBody = Readonly<Record<string, unknown>>

/** What was not done for a monitor, and why. */
export interface Refusal {
  readonly id: string
  readonly name: string
  readonly why: string
}

/** How far an action on many monitors is. */
export interface Progress {
  readonly done: number
  readonly refused: readonly Refusal[]
}

interface Acting {
  readonly body: ActionBody
  readonly signal: AbortSignal
  onProgress(progress: Progress): void
}

/** How often the page asks again, when the server is busy. */
const TRIES = 3

/**
 * Does an action on monitors of both kinds in batches, one request after the other.
 * A refusal of one stops no other. Stops where the signal says so, and throws what no further request would mend.
 */
export async function actOnAll(
  action: Action,
  rows: readonly Row[],
  { body, signal, onProgress }: Acting,
): Promise<void> {
  let done = 0
  const refused: Refusal[] = []
  for (const batch of batchesOf(action, rows)) {
    if (signal.aborted) return
    const found = await actOnBatch({ action, body }, batch, signal)
    if (found === null) return
    refused.push(...found)
    done += batch.length - found.length
    onProgress({ done, refused: [...refused] })
  }
}

/** All monitors that filters leave, and how many they are. */
interface Matching {
  readonly filters: Filters
  readonly expected: number
  readonly body: ActionBody
  readonly signal: AbortSignal
}

const FLAGS: readonly string[] = ['failing', 'unseen', 'locked', 'muted']

/** Actions that one request does with all monitors of both kinds that filters leave. */
const OF_MATCHING = ['mute', 'unmute', 'seen', 'unseen'] as const
type ActionOfMatching = (typeof OF_MATCHING)[number]
export const isOfMatching = (action: Action): action is ActionOfMatching => OF_MATCHING.some((one) => one === action)

/**
 * Does it with all monitors that filters leave. `stopped`: the signal came before the server took it. `other`: they are
 * more or fewer by now, or more than one request takes, and marks may be set for those that are known. A mute throws an
 * `ApiFault` then: whom it holds back has to be what a person saw.
 */
export async function actOnMatching(
  action: ActionOfMatching,
  { filters, expected, body, signal }: Matching,
): Promise<'done' | 'stopped' | 'other'> {
  const given = Object.entries(filters).filter(([name]) => name !== 'sort')
  const filter = Object.fromEntries(given.map(([name, text]) => [name, FLAGS.includes(name) ? text === 'true' : text]))
  const sent = { ...body, filter, expected }
  try {
    const answer = await patiently(() => ask<object>(`/v1/overview/${action}`, { method: 'POST', body: sent }), signal)
    return answer === null ? 'stopped' : 'done'
  } catch (error) {
    const isMark = action === 'seen' || action === 'unseen'
    if (isMark && error instanceof ApiFault && (error.status === 409 || isOfCount(error))) return 'other'
    throw error
  }
}

const isOfCount = ({ status, issues }: ApiFault): boolean =>
  status === 422 && issues.length > 0 && issues.every(({ path }) => path === 'expected')

function batchesOf(action: Action, rows: readonly Row[]): readonly (readonly Row[])[] {
  if (action === 'unseen') return rows.map((row) => [row])
  if (action === 'seen') return inBatches(rows)
  return KINDS.flatMap((kind) => inBatches(rows.filter((row) => row.kind === kind)))
}

const KINDS = ['page', 'serp'] as const

const inBatches = (rows: readonly Row[]): readonly (readonly Row[])[] =>
  Array.from({ length: Math.ceil(rows.length / LIMITS.bulk) }, (_, nth) =>
    rows.slice(nth * LIMITS.bulk, (nth + 1) * LIMITS.bulk),
  )

/** Returns the refusals. Null: the signal came before the server took it. */
interface Asked {
  readonly action: Action
  readonly body: ActionBody
}

async function actOnBatch(
  asked: Asked,
  batch: readonly Row[],
  signal: AbortSignal,
): Promise<readonly Refusal[] | null> {
  try {
    return await patiently(() => askFor(asked, batch), signal)
  } catch (error) {
    if (!isOfOne(error)) throw error
    const [row] = batch
    if (row && batch.length === 1) return [{ id: row.id, name: row.name, why: whyOf(error) }]
    // Of a batch that is refused as a whole, each is asked for by itself.
    const found: Refusal[] = []
    for (const one of batch) found.push(...((await actOnBatch(asked, [one], signal)) ?? []))
    return found
  }
}

/** Whether a batch may be refused for one of its monitors, and not for what is to be done with all of them. */
const isOfOne = (error: unknown): error is ApiFault =>
  error instanceof ApiFault &&
  [400, 403, 404, 409, 422].includes(error.status) &&
  error.issues.every(({ path }) => path.startsWith('ids'))

const whyOf = (error: ApiFault): string => (error.status === 404 ? explain(error).next : error.message)

async function askFor({ action, body }: Asked, batch: readonly Row[]): Promise<readonly Refusal[]> {
  const [row] = batch
  if (row === undefined) return []
  if (action === 'seen' || action === 'unseen') return mark(action, batch)
  const { results } = await ask<BulkDone>(`/v1/${COLLECTIONS[row.kind]}/bulk`, {
    method: 'POST',
    body: { ...body, action, ids: batch.map(({ id }) => id) },
  })
  const names = new Map(batch.map(({ id, name }) => [id, name]))
  return results.flatMap(({ id, error }) => (error ? [{ id, name: names.get(id) ?? id, why: error.message }] : []))
}

/** Returns the newest change of these rows. Undefined: they have none. Ids of runs are in the order of time. */
export const newestChange = (rows: readonly Row[]): string | undefined =>
  rows.flatMap(({ last_change: change }) => change?.run_id ?? []).toSorted((a, b) => (a < b ? 1 : -1))[0]

/** Sets marks at the changes that are shown. What has none is left as it is. */
async function mark(action: 'seen' | 'unseen', batch: readonly Row[]): Promise<readonly Refusal[]> {
  const ids = batch.flatMap(({ id, last_change: change }) => (change?.run_id ? [id] : []))
  const last = newestChange(batch)
  if (last === undefined) return []
  const body = action === 'seen' ? { until: last, monitor_ids: ids } : ({ run_id: last } as const)
  await ask(`/v1/changes/${action}`, { method: 'POST', body })
  return []
}

async function patiently<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
  for (let count = 0; !signal.aborted; count += 1) {
    try {
      return await act()
    } catch (error) {
      if (!isPassing(error) || count === TRIES) throw error
      await pause(retryMs(count, error), signal)
    }
  }
  return null
}

/** Returns a row as it is after an action. Null: it is only known when it is read again. */
export function afterAction(action: Action, row: Row): Row | null {
  if (action === 'pause' && row.status === 'active') return { ...row, status: 'paused', next_run_at: null }
  if (action === 'resume' && row.status === 'paused') return { ...row, status: 'active' }
  if (action === 'unmute') return { ...row, mute: null }
  if (action === 'seen') return { ...row, unseen: false }
  return action === 'unseen' && row.last_change?.run_id ? { ...row, unseen: true } : null
}
