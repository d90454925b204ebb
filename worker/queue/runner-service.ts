import { runIdTime } from '../../core/run-id.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import type { Store } from '../../store/db/client.ts'
import { findHeldCheck, type HeldCheck } from '../../store/queue/held-check.ts'
import { extendLeases, type Held, releaseChecks } from '../../store/queue/lease.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Task } from '../../runners/check/task.ts'
import type { Recorder } from '../record/recorder.ts'
import { createClaims, contextOf, pageTaskOf } from './claim-round.ts'
import { outcomeOf, type Told } from './outcome-of.ts'
import type { RunnerProxyHold } from '../../schema/runner-api.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import type { ProxyRelay } from './proxy-relay.ts'
import { createSettling } from './postgres-check-source.ts'

export interface RunnerServiceOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly recorder: Recorder
  readonly prompts: Prompts | null
  readonly leaseMs: number
  /** Connects runners with the proxy; null: this installation has none. */
  readonly relay?: ProxyRelay | null
}

/** The result of completing a check. */
type Completion =
  | { readonly kind: 'settled' }
  /** The check is not leased with this token, or not any more: it was recorded or edited, or another runner has it. */
  | { readonly kind: 'not_held' }
  /** The signal or a stop came first; the check is still leased. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'unbelievable'; readonly issues: readonly Issue[] }

/**
 * The check source for runners that lease checks with a token. No state is kept in memory between two calls, so that
 * any worker can serve any of them. `holder` is the number of a runner token that was verified a moment ago.
 */
export interface RunnerService {
  readonly leaseMs: number
  claim(limit: number, holder: number): Promise<readonly Task[]>
  heartbeat(checks: readonly Held[], holder: number): Promise<ReadonlySet<number>>
  complete(told: Told, holder: number, signal: AbortSignal): Promise<Completion>
  release(checks: readonly Held[], delayMs: number, holder: number): Promise<void>
  /** Reserves proxy bytes for a check that its site refused; null: the check is not leased with this token. */
  holdProxy(check: Held, holder: number): Promise<RunnerProxyHold | null>
  readonly relay: ProxyRelay | null
}

/** Runners only do checks that need rendering. */
const QUEUES = ['browser', 'visual'] as const

export function createRunnerService(options: RunnerServiceOptions): RunnerService {
  const { store, secrets, recorder, prompts, leaseMs, relay = null } = options
  const leaseSeconds = leaseMs / 1000
  const hasModel = prompts !== null
  const settle = createSettling({ store, recorder, prompts })
  const alone = createAlone()

  async function completed(told: Told, holder: number, signal: AbortSignal): Promise<Completion> {
    const row = await findHeldCheck(store, told.outcome, holder)
    if (row === null) return { kind: 'not_held' }
    const task = pageTaskOf(row, { queue: row.queue, claimedAt: performance.now(), secrets, hasModel })
    const { reading_id, layer_is_remembered: layerIsRemembered } = row
    const believed = outcomeOf(told, {
      task,
      hasBaseline: reading_id !== null,
      layerIsRemembered,
      hasProxy: relay !== null,
    })
    if (!believed.ok) return { kind: 'unbelievable', issues: believed.issues }
    const isSettled = await settle({ task, reading: believed.reading, ...timesOf(told, row) }, contextOf(row), signal)
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
    async holdProxy(check, holder) {
      const row = await findHeldCheck(store, check, holder)
      if (row === null) return null
      return relay === null ? { reason: 'none' } : relay.hold({ no: row.no, runId: row.run_id })
    },
    relay,
  }
}

/**
 * Limits the runner's times, because its clock is not trusted: a check neither starts before its run nor ends in the
 * future.
 */
function timesOf({ outcome }: Told, { run_id, claimed_ms: nowMs }: HeldCheck) {
  const within = (ms: number, fromMs: number, untilMs: number) => Math.round(Math.min(Math.max(ms, fromMs), untilMs))
  const endedMs = within(outcome.ended_ms, runIdTime(run_id), nowMs)
  return { startedMs: within(outcome.started_ms, runIdTime(run_id), endedMs), endedMs }
}

/**
 * Allows one completion of a check at a time. The second one finds what the first one completed before it asks the
 * model, which costs money. This holds within one process. Another process can ask a second time (decision
 * 0009), but only one of the two is recorded.
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
