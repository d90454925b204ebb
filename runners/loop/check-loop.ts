import type { Logger } from '../../core/logger.ts'
import type { Reading } from '../check/reading.ts'
import type { Task } from '../check/task.ts'
import type { Lane } from '../lane/lane.ts'
import type { CheckMetrics } from './check-metrics.ts'
import { createHostGate } from './host-gate.ts'

/** The world of a check loop. Durations in milliseconds. */
export interface CheckLoopOptions {
  readonly lane: Lane
  readonly check: (task: Task, signal: AbortSignal) => Promise<Reading>
  readonly log: Logger
  readonly metrics: CheckMetrics
  readonly leaseMs: number
  /** Checks in flight at most, and of one host. */
  readonly concurrency: number
  readonly perHost: number
  /** How often an idle loop looks for due checks. Default 250. */
  readonly idleMs?: number
}

export interface CheckLoop {
  start(): void
  /** Look for due checks now: somebody asked for a run. */
  poke(): void
  /** Claims no more, gives back what has not started, waits for the rest at most this long, gives back what is left then. */
  drain(graceMs: number): Promise<void>
  /** Milliseconds since the lane last answered a claim: what readiness looks at. */
  sinceProgress(): number
}

/** A check under our lease. */
interface Holding {
  readonly task: Task
  /** Aborts the check when its lease is lost; undefined while it waits and when it has ended. */
  lost?: AbortController | undefined
  /** `performance.now()` when the lease was last extended. */
  extendedAt: number
}

/** Of one slow host, this many times its cap may wait here; the rest is given back for a moment, so that it cannot fill the line. */
const LINE_PER_SLOT = 16
const GIVEN_BACK_MS = 3_000

/**
 * Claims ahead of need, checks within the caps, records. It is idle (nothing due: looks again each idleMs or at a poke), busy (claims again as soon
 * as less than a claim waits), draining (claims no more) or stopped. A store that is away is asked again each second.
 *
 * A claim takes as long as the disk and a busy store make it, and the line must not run dry meanwhile: with claims of 512, asked for when 256
 * waited, it did so at two claims of three, and a check waited for the store more than for its page (bench/README.md).
 */
export function createCheckLoop(options: CheckLoopOptions): CheckLoop {
  const { lane, log, metrics, leaseMs, concurrency, perHost, idleMs = 250 } = options
  const claimSize = Math.min(1000, concurrency * 8)
  const gate = createHostGate<Task>({ perHost, total: concurrency })
  const held = new Map<number, Holding>()
  const emptied = Promise.withResolvers<void>()
  /** Controllers that never aborted serve the next check: a new one, with what listens to it, costs 3 µs. */
  const spare: AbortController[] = []
  let draining = false
  let claiming: Promise<void> | null = null
  /** Somebody asked for a claim while one was under way, which may have looked too early. */
  let poked = false
  /** The last claim came back full, so there is probably more. */
  let more = false
  let lastProgress = performance.now()
  let claimTimer: NodeJS.Timeout | undefined
  let heartbeatTimer: NodeJS.Timeout | undefined

  function claimIn(ms: number): void {
    if (draining) return
    clearTimeout(claimTimer)
    claimTimer = setTimeout(claim, ms)
  }

  function claim(): void {
    if (draining) return
    if (claiming) {
      poked = true
      return
    }
    poked = false
    claiming = claimOnce().then((pause) => {
      claiming = null
      claimIn(poked ? 0 : pause)
      pump()
    })
  }

  /** Answers the pause until the next claim. */
  async function claimOnce(): Promise<number> {
    try {
      const tasks = await lane.claim(claimSize)
      lastProgress = performance.now()
      more = tasks.length > claimSize / 2
      const surplus = take(tasks)
      pump()
      if (surplus.length > 0) await lane.release(surplus, draining ? 0 : GIVEN_BACK_MS)
      return idleMs
    } catch (error) {
      metrics.laneFault()
      log.warn({ err: error }, 'the store did not answer a claim; asking again in a second')
      return 1000
    }
  }

  /** Answers those for which there is no place. */
  function take(tasks: readonly Task[]): Task[] {
    metrics.claimed(tasks)
    const surplus: Task[] = []
    for (const task of tasks) {
      if (draining || gate.waitingAt(task.host) >= perHost * LINE_PER_SLOT) surplus.push(task)
      else {
        // Held already: its lease ended unnoticed, and it came back to us. The check under the old fence is void.
        held.get(task.no)?.lost?.abort()
        held.set(task.no, { task, lost: undefined, extendedAt: task.claimedAt })
        gate.add(task)
      }
    }
    return surplus
  }

  function pump(): void {
    for (let task = gate.next(); task; task = gate.next()) {
      const holding = held.get(task.no)
      if (holding?.task === task) void run(holding)
      else gate.done(task)
    }
    metrics.queue(gate.waiting, gate.active)
    if (more && !claiming && gate.waiting < claimSize) {
      more = false
      claimIn(0)
    }
  }

  async function run(holding: Holding): Promise<void> {
    const { task } = holding
    const startedMs = storeTime(task)
    const reading = await checked(holding)
    gate.done(task)
    pump()
    if (reading.kind !== 'abandoned') {
      const endedMs = storeTime(task)
      metrics.finished(task, reading, endedMs - startedMs)
      await lane.complete({ task, reading, startedMs, endedMs })
      forget(holding)
    }
  }

  async function checked(holding: Holding): Promise<Reading> {
    const { task } = holding
    const lost = (holding.lost = spare.pop() ?? new AbortController())
    try {
      return await options.check(task, lost.signal)
    } catch (error) {
      log.error({ err: error, run_id: task.runId, monitor_id: task.monitorId }, 'a check threw')
      return { kind: 'failed', fetchMethod: null, fault: INTERNAL, retryAfterMs: 0 }
    } finally {
      holding.lost = undefined
      if (!lost.signal.aborted) spare.push(lost)
    }
  }

  function forget(holding: Holding): void {
    if (held.get(holding.task.no) === holding) held.delete(holding.task.no)
    if (draining && held.size === 0) emptied.resolve()
  }

  /** Only what has been held for a while: a fast check never costs a heartbeat. */
  async function heartbeat(): Promise<void> {
    const now = performance.now()
    const due = [...held.values()].filter(({ extendedAt }) => now - extendedAt > leaseMs / 3)
    if (due.length === 0) return
    for (const holding of due) holding.extendedAt = now
    try {
      const kept = await lane.heartbeat(due.map(({ task }) => task))
      for (const holding of due) {
        if (kept.has(holding.task.no)) continue
        log.debug(
          { run_id: holding.task.runId },
          'a check lost its lease: it was edited, deleted, or held for too long',
        )
        holding.lost?.abort()
        forget(holding)
      }
    } catch (error) {
      // The next one, in a moment, may still extend the lease; if not, the fence keeps our result out.
      for (const holding of due) holding.extendedAt = -Infinity
      metrics.laneFault()
      log.warn({ err: error }, 'a heartbeat failed')
    }
  }

  async function giveBack(holdings: readonly Holding[]): Promise<void> {
    for (const { task, lost } of holdings) {
      lost?.abort()
      held.delete(task.no)
    }
    if (holdings.length === 0) return
    try {
      await lane.release(
        holdings.map(({ task }) => task),
        0,
      )
    } catch (error) {
      log.warn({ err: error }, 'could not give checks back; they are taken up again when their leases end')
    }
  }

  return {
    start() {
      claimIn(0)
      heartbeatTimer = setInterval(() => void heartbeat(), Math.min(1000, leaseMs / 6))
    },
    poke: () => claimIn(0),
    async drain(graceMs) {
      const until = performance.now() + graceMs
      draining = true
      clearTimeout(claimTimer)
      const unstarted = new Set(gate.drain())
      await giveBack([...held.values()].filter(({ task }) => unstarted.has(task)))
      // What a claim under way brings is given back by it.
      if (claiming) await within(claiming, graceMs)
      if (held.size > 0) await within(emptied.promise, until - performance.now())
      clearInterval(heartbeatTimer)
      await giveBack([...held.values()])
    },
    sinceProgress: () => performance.now() - lastProgress,
  }
}

const INTERNAL = {
  code: 'internal',
  message: 'The check failed through a fault of ours; the log has the details under the run id.',
} as const

/** Now, by the store's clock as far as this process knows it. */
function storeTime(task: Task): number {
  return Math.round(task.claimedMs + (performance.now() - task.claimedAt))
}

async function within(promise: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, Math.max(0, ms))
  await Promise.race([promise, late.promise])
  clearTimeout(timer)
}
