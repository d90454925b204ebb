import { byKind } from '../../core/by-kind.ts'
import { runIdTime } from '../../core/run-id.ts'
import type { Finished } from '../../runners/check/check-source.ts'
import type { Task } from '../../runners/check/task.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { RunnerProxyHold } from '../../schema/runner-api.ts'
import type { Store } from '../../store/db/client.ts'
import { type HeldCheck, heldChecks } from '../../store/queue/held-check.ts'
import { extendLeasesOf, type Held, releaseOf } from '../../store/queue/lease.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { queuesOf, type SearchClaims, type SearchSettling, type Settling, type WorkKind } from '../kinds/work-kind.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import type { RecordContext, Recorder } from '../record/recording.ts'
import { type AskedClaims, createAskedClaims } from './asked-claims.ts'
import type { AskedKinds } from './asked-kind.ts'
import { createClaims } from './claim-round.ts'
import { contextOf } from './claimed.ts'
import type { Completion, RunnerHolder } from './completion.ts'
import type { ProxyRelay } from './proxy-relay.ts'
import type { CheckedOutcome, ReportedOutcome } from './reported-outcome.ts'
import { createSettling } from './settling.ts'

export interface RunnerServiceOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly recorder: Recorder
  readonly prompts: Prompts | null
  /** Treats answers of the model. Absent: no check has treatments. */
  readonly extractor?: Pick<Extractor, 'read'> | undefined
  readonly kinds: readonly WorkKind[]
  /** The kinds of asked work that its runners do. */
  readonly asked: AskedKinds
  readonly leaseMs: number
  /** Connects runners with the proxy; null: this installation has none. */
  readonly relay?: ProxyRelay | null
  /** How searches are claimed and spaced. */
  readonly search?: (SearchClaims & SearchSettling) | undefined
}

/**
 * The check source for runners that lease checks and asked work with a token. No state is kept in memory between two
 * calls, so that any worker can serve any of them. `holder` is the number of a runner token that was verified a moment
 * ago.
 */
export interface RunnerService {
  readonly leaseMs: number
  readonly kinds: readonly WorkKind[]
  /** `exit` is the address that the runner's searches come from. Null: it does none. */
  claim(limit: number, holder: RunnerHolder, exit: string | null): Promise<readonly Task[]>
  heartbeat(checks: readonly Held[], holder: number): Promise<ReadonlySet<number>>
  complete(reported: ReportedOutcome, holder: number, signal: AbortSignal): Promise<Completion>
  release(checks: readonly Held[], delayMs: number, holder: number): Promise<void>
  /** Reserves proxy bytes for a check that its site refused; null: the check is not leased with this token. */
  holdProxy(check: Held, holder: number): Promise<RunnerProxyHold | null>
  readonly relay: ProxyRelay | null
}

const NEVER = new AbortController().signal

/** Runners only do checks that need rendering, and searches where they name their exit. */
const QUEUES = ['browser', 'visual'] as const

export function createRunnerService(options: RunnerServiceOptions): RunnerService {
  const { store, secrets, recorder, prompts, extractor, kinds, leaseMs, relay = null, search } = options
  const spacingMs = search?.spacingMs ?? 0
  const leaseSeconds = leaseMs / 1000
  const hasModel = prompts !== null
  const settling = createSettling(kinds, { store, recorder, prompts, extractor, search })
  const findHeldCheck = heldChecks(kinds.map(({ claimed }) => claimed))
  const alone = createAlone()
  const claims = createClaimsOfRunners(
    { store, secrets, kinds, queues: [...QUEUES, ...queuesOf(kinds)], leaseSeconds, hasModel, search },
    settling,
  )
  const asked = createAskedClaims({ store, secrets, kinds, asked: options.asked, leaseSeconds, spacingMs })

  async function completed(reported: ReportedOutcome, holder: number, signal: AbortSignal): Promise<Completion> {
    const row = await findHeldCheck(store, reported.outcome, holder)
    if (row === null) return asked.complete(reported, holder)
    // Its runner claimed it through a worker of a later version, which judges it when the runner tries again there.
    if (row.level > WORK_LEVEL) return { kind: 'abandoned' }
    const kind = byKind(kinds, row.kind)
    const { queue, reading_id, layer_is_remembered: layerIsRemembered } = row
    const task = kind.taskOf(row, { queue, claimedAt: performance.now(), secrets, hasModel })
    const before = { hasBaseline: reading_id !== null, layerIsRemembered, hasProxy: relay !== null }
    return settled({ reported, row, task, checked: kind.outcomeOf(reported, { task, ...before }) }, signal)
  }

  async function settled({ reported, row, task, checked }: Judged, signal: AbortSignal): Promise<Completion> {
    if (!checked.ok) return { kind: 'invalid', issues: checked.issues }
    const isSettled = await settling.settle(
      { task, reading: checked.reading, ...timesOf(reported, row) },
      contextOf(row),
      signal,
    )
    return { kind: isSettled ? 'settled' : 'abandoned' }
  }

  return {
    leaseMs,
    kinds,
    claim: createClaimsOfAll({ asked, claims }),
    async heartbeat(work, holder) {
      for (const { exits } of kinds) await exits?.keep(store, work, leaseSeconds, holder)
      return extendLeasesOf(store, work, leaseSeconds, holder)
    },
    complete: (reported, holder, signal) =>
      alone(`${holder} ${reported.outcome.no} ${reported.outcome.fence}`, () => completed(reported, holder, signal)),
    async release(work, delayMs, holder) {
      for (const { exits } of kinds) await exits?.free(store, work, spacingMs, holder)
      const released = work.map(({ no, fence }) => ({ no, fence, delayMs }))
      await releaseOf(store, released, holder)
    },
    async holdProxy(check, holder) {
      const row = await findHeldCheck(store, check, holder)
      if (row === null) return (await asked.isHeld(check, holder)) ? { reason: 'none' } : null
      if (relay === null || !byKind(kinds, row.kind).isProxied) return { reason: 'none' }
      return relay.hold({ no: row.no, runId: row.run_id })
    },
    relay,
  }
}

interface ClaimPorts {
  readonly asked: AskedClaims
  readonly claims: RunnerService['claim']
}

/**
 * Claims asked work before checks, because somebody waits for it, and up to half of what is claimed: much of it must
 * not keep checks from being done. With one free slot, the two take turns.
 */
function createClaimsOfAll({ asked, claims }: ClaimPorts): RunnerService['claim'] {
  let isCheckNext = false
  return async (limit, holder, exit) => {
    const most = limit === 1 && isCheckNext ? 0 : Math.ceil(limit / 2)
    isCheckNext = !isCheckNext
    const claimed = most === 0 ? [] : [...(await asked.claim(most, holder, exit))]
    const mayHaveMore = claimed.length === most
    try {
      if (claimed.length < limit) claimed.push(...(await claims(limit - claimed.length, holder, exit)))
      const room = limit - claimed.length
      if (mayHaveMore && room > 0) claimed.push(...(await asked.claim(room, holder, exit)))
    } catch (error) {
      // What was claimed is leased already. If the store is away, the next claim fails too.
      if (claimed.length === 0) throw error
    }
    return claimed
  }
}

/** What a runner said about a check, and whether it can be checked. */
interface Judged {
  readonly reported: ReportedOutcome
  readonly row: HeldCheck
  readonly task: Task
  readonly checked: CheckedOutcome
}

/**
 * Returns what claims for runners. A check that needs no runner is settled here at once, as that of a search whose
 * engine is left alone. If that fails, it is due again when its lease ends.
 */
function createClaimsOfRunners(
  options: Omit<Parameters<typeof createClaims>[0], 'onTask'>,
  settling: Settling,
): RunnerService['claim'] {
  const contexts = new WeakMap<Task, RecordContext>()
  const claims = createClaims({ ...options, onTask: (task, row) => contexts.set(task, contextOf(row)) })
  const settle = async (task: Task, reading: Finished['reading']): Promise<void> => {
    const context = contexts.get(task)
    if (!context) throw new TypeError('a claim gives the context of its checks')
    // Whole milliseconds, as the columns are.
    const atMs = Math.round(task.claimedMs)
    await settling.settle({ task, reading, startedMs: atMs, endedMs: atMs }, context, NEVER)
  }
  return async (limit, { id, checkNo, level = 1 }, exit) => {
    const tasks = await claims(limit, { holder: id, exit, only: checkNo, level: Math.min(level, WORK_LEVEL) })
    return tasks.filter((task) => {
      const reading = byKind(options.kinds, task.kind).withoutRunner?.(task) ?? null
      if (reading === null) return true
      void settle(task, reading).catch(() => undefined)
      return false
    })
  }
}

/**
 * Limits the runner's times, because its clock is not trusted: a check neither starts before its run nor ends in the
 * future.
 */
function timesOf({ outcome }: ReportedOutcome, { run_id, claimed_ms: nowMs }: HeldCheck) {
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
