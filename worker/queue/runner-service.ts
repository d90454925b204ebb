import { runIdTime } from '../../core/run-id.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import type { Store } from '../../store/db/client.ts'
import { findHeldCheck, type HeldCheck } from '../../store/queue/held-check.ts'
import { extendLeases, type Held, releaseChecks } from '../../store/queue/lease.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { Task } from '../../runners/check/task.ts'
import type { Recorder } from '../record/recorder.ts'
import { createClaims } from './claims.ts'
import type { Finished } from '../../runners/check/check-source.ts'
import { outcomeOf, type Told } from './outcome-of.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import { createSettling } from './completion.ts'
import { contextOf, pageTaskOf } from './task-of.ts'

type Failed = Extract<Reading, { kind: 'failed' }>

export interface RunnerServiceOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly recorder: Recorder
  readonly prompts: Prompts | null
  readonly leaseMs: number
  /** Tries what is left for a check that its runner was refused; absent: nothing is. */
  readonly refused?: ((task: Task, failed: Failed, signal: AbortSignal) => Promise<Reading>) | undefined
}

/** What became of an outcome. */
type Completion =
  | { readonly kind: 'settled' }
  /**
   * The check is not held with this token, or not any more: it was recorded, edited, given to another, or is somebody
   * else's.
   */
  | { readonly kind: 'not_held' }
  /** The signal or a stop came first; the check is still held. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'unbelievable'; readonly issues: readonly Issue[] }

/**
 * The check source for those who hold checks with a token instead of in our memory: nothing is kept here between two
 * calls, so that any worker can answer any of them. `holder` is the number of a runner token that was looked at a
 * moment ago.
 */
export interface RunnerService {
  readonly leaseMs: number
  claim(limit: number, holder: number): Promise<readonly Task[]>
  heartbeat(checks: readonly Held[], holder: number): Promise<ReadonlySet<number>>
  complete(told: Told, holder: number, signal: AbortSignal): Promise<Completion>
  release(checks: readonly Held[], delayMs: number, holder: number): Promise<void>
}

/** Only what is rendered is done elsewhere. */
const QUEUES = ['browser', 'visual'] as const

export function createRunnerService(options: RunnerServiceOptions): RunnerService {
  const { store, secrets, recorder, prompts, leaseMs, refused } = options
  const leaseSeconds = leaseMs / 1000
  const hasModel = prompts !== null
  const settle = createSettling({ store, recorder, prompts })
  const alone = createAlone()

  async function finishedBy(finished: Finished, signal: AbortSignal): Promise<Finished | null> {
    const { task, reading, startedMs } = finished
    if (!refused || reading.kind !== 'failed' || reading.fault.code !== 'blocked') return finished
    const from = performance.now()
    const after = await refused(task, reading, signal)
    const endedMs = finished.endedMs + Math.round(performance.now() - from)
    return after.kind === 'abandoned' ? null : { task, reading: after, startedMs, endedMs }
  }

  async function completed(told: Told, holder: number, signal: AbortSignal): Promise<Completion> {
    const row = await findHeldCheck(store, told.outcome, holder)
    if (row === null) return { kind: 'not_held' }
    const task = pageTaskOf(row, { queue: row.queue, claimedAt: performance.now(), secrets, hasModel })
    const { reading_id, layer_is_remembered: layerIsRemembered } = row
    const believed = outcomeOf(told, { task, hasBaseline: reading_id !== null, layerIsRemembered })
    if (!believed.ok) return { kind: 'unbelievable', issues: believed.issues }
    const finished = await finishedBy({ task, reading: believed.reading, ...timesOf(told, row) }, signal)
    const isSettled = finished !== null && (await settle(finished, contextOf(row), signal))
    return { kind: isSettled ? 'settled' : 'abandoned' }
  }

  return {
    leaseMs,
    claim: createClaims({ store, secrets, queues: QUEUES, leaseSeconds, hasModel }),
    heartbeat: (checks, holder) => extendLeases(store, checks, leaseSeconds, holder),
    complete: (told, holder, signal) =>
      alone(`${holder} ${told.outcome.no} ${told.outcome.fence}`, () => completed(told, holder, signal)),
    release: (checks, delayMs, holder) =>
      releaseChecks(
        store,
        checks.map(({ no, fence }) => ({ no, fence, delayMs })),
        holder,
      ),
  }
}

/** A runner's clock is its own: a check lasts neither from before its run nor into the future. */
function timesOf({ outcome }: Told, { run_id, claimed_ms: nowMs }: HeldCheck) {
  const within = (ms: number, fromMs: number, untilMs: number) => Math.round(Math.min(Math.max(ms, fromMs), untilMs))
  const endedMs = within(outcome.ended_ms, runIdTime(run_id), nowMs)
  return { startedMs: within(outcome.started_ms, runIdTime(run_id), endedMs), endedMs }
}

/**
 * One completion of a check after the other: the second finds what the first has settled, before it asks the proxy or
 * the model, which cost. In this process; another one may ask twice (decision 0009), and only one of both is recorded.
 */
function createAlone() {
  const underWay = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    for (let before = underWay.get(key); before; before = underWay.get(key)) await before.catch(() => undefined)
    const mine = work()
    underWay.set(key, mine)
    try {
      return await mine
    } finally {
      underWay.delete(key)
    }
  }
}
