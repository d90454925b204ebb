import type { Logger } from '../../core/logger.ts'
import type { Reading } from '../check/reading.ts'
import type { Task } from '../check/task.ts'
import type { Finished, CheckSource } from '../check/check-source.ts'
import type { CheckMetrics } from './check-metrics.ts'
import { createHostGate, type HostGate } from '../../concurrency/host-gate.ts'
import { createPageGate, type PageGate } from '../../concurrency/page-gate.ts'
import { createLeaseKeeper, type Lease, type LeaseKeeper } from '../../concurrency/lease-keeper.ts'
import { Running } from '../../concurrency/running.ts'
import { createSpeeds, type Speeds } from '../../concurrency/speed.ts'
import { createWakeableLoop } from '../../concurrency/wakeable-loop.ts'

/** The world of a check loop. Durations in milliseconds. */
interface CheckLoopOptions {
  readonly source: CheckSource
  readonly check: (task: Task, signal: AbortSignal) => Promise<Reading>
  readonly log: Logger
  readonly metrics: CheckMetrics
  readonly leaseMs: number
  /** Checks in flight at most, and of one host. */
  readonly concurrency: number
  readonly perHost: number
  /** False: no more are claimed than there are places free now, for there are others to take the rest. Default true. */
  readonly claimsAhead?: boolean
  /**
   * Its checks hold few places for seconds: teams take turns at all of them, and slow checks leave one. Default false.
   */
  readonly rendersPages?: boolean
  /** How often an idle loop looks for due checks. Default 250. */
  readonly idleMs?: number
}

export interface CheckLoop {
  start(): void
  /** Look for due checks now: somebody asked for a run. */
  wake(): void
  /**
   * Claims no more, gives back what has not started, waits for the rest at most this long, gives back what is left
   * then.
   */
  drain(graceMs: number): Promise<void>
  /** Milliseconds since the runner API last answered a claim: what readiness looks at. */
  sinceProgress(): number
}

/**
 * Of one host so many checks may wait here as its places do in this time. The rest is given back for as long: a slow
 * host cannot fill the line, and a quick one always has work. Of a host whose pace is not known yet this many times its
 * cap may wait, and the rest comes again sooner.
 */
const LINE_MS = 3_000
const LINE_PER_SLOT = 16
const AGAIN_MS = 1_000
const SLOW_MS = 5_000
/**
 * A page takes some seconds to come to rest, twelve at most; one that takes longer hangs, or has nothing to show
 * (runners/browser).
 */
const SLOW_PAGE_MS = 14_000
/** A store that does not answer is asked again after this. */
const AWAY_PAUSES = { firstMs: 1_000, longestMs: 1_000 }

/**
 * Claims ahead of need, checks within the caps, records. It is idle (nothing due: looks again each idleMs or at a
 * wake), busy (claims again as soon as less than a claim waits), draining (claims no more) or stopped. A store that is
 * away is asked again each second.
 *
 * A claim takes as long as the disk and a busy store make it, and the line must not run dry meanwhile: with claims of
 * 512, asked for when 256 waited, it did so at two claims of three, and a check waited for the store more than for its
 * page (bench/README.md).
 */
export function createCheckLoop(options: CheckLoopOptions): CheckLoop {
  const { source, metrics, idleMs = 250 } = options
  const { gate, slow, paces } = turnsOf(options)
  const { claimSize, isLineFull, roomBeside, isMore } = claimingOf(options, paces)
  const leases = leasesOf(options)
  const running = new Running()
  const claims = createWakeableLoop({ work: claim, faultPauses: AWAY_PAUSES, onFault: notAnswered(options) })
  const attempt = createAttempts(options)
  /** The last claim came back full, so there is probably more. */
  let more = false
  let lastProgress = performance.now()

  async function claim(): Promise<number> {
    const room = roomBeside(gate.active)
    const tasks = room > 0 ? await source.claim(room) : []
    lastProgress = performance.now()
    const surplus = take(tasks)
    more = isMore(room, tasks.length, surplus.length)
    pump()
    await giveBack({ source, paces }, surplus, claims.isStopped)
    return more && gate.waiting < claimSize && roomBeside(gate.active) > 0 ? 0 : idleMs
  }

  /** Returns those for which there is no place. */
  function take(tasks: readonly Task[]): Task[] {
    metrics.claimed(tasks)
    return tasks.filter((task) => {
      const isSlow = slow.of(task.no) === 'slow'
      if (claims.isStopped || isLineFull(gate, task, isSlow)) return true
      leases.hold(task, task.claimedAt)
      gate.add(task, isSlow)
      return false
    })
  }

  function pump(): void {
    for (let task = gate.next(); task; task = gate.next()) {
      const lease = leases.of(task)
      if (lease) running.add(run(lease))
      else gate.done(task)
    }
    metrics.queue(gate.waiting, gate.active)
    if (more && !claims.isUnderWay && gate.waiting < claimSize) {
      more = false
      claims.wake()
    }
  }

  async function run(lease: Lease<Task>): Promise<void> {
    const { item: task } = lease
    const startedMs = storeTime(task)
    const reading = await attempt(lease)
    gate.done(task)
    pump()
    if (reading.kind === 'abandoned') return
    const endedMs = storeTime(task)
    slow.took(task.no, endedMs - startedMs)
    paces.took(task.host, endedMs - startedMs)
    metrics.finished(task, reading, endedMs - startedMs)
    await handOver(options, lease, { task, reading, startedMs, endedMs })
    // Cut off by a drain, it has to be given back.
    if (!lease.lost?.signal.aborted) leases.drop(lease)
  }

  return {
    start() {
      claims.start()
      leases.start()
    },
    wake: () => claims.wake(),
    async drain(graceMs) {
      // What a claim under way brings is given back by it.
      const ended = claims.stop().then(() => running.settled())
      await leases.drain({ ended, unstarted: gate.drain() }, graceMs)
    },
    sinceProgress: () => performance.now() - lastProgress,
  }
}

const notAnswered =
  ({ metrics, log }: CheckLoopOptions) =>
  (err: unknown): void => {
    metrics.runnerApiFault()
    log.warn({ err }, 'the store did not answer a claim; asking again in a second')
  }

interface Givers {
  readonly source: CheckSource
  readonly paces: Speeds<string>
}

/** Gives back those for which there is no place. */
async function giveBack({ source, paces }: Givers, surplus: readonly Task[], atOnce: boolean): Promise<void> {
  const isKnown = ({ host }: Task) => paces.mean(host) !== undefined
  const known = surplus.filter(isKnown)
  const others = surplus.filter((task) => !isKnown(task))
  if (known.length > 0) await source.release(known, atOnce ? 0 : LINE_MS)
  if (others.length > 0) await source.release(others, atOnce ? 0 : AGAIN_MS)
}

/** Who is next, and who is known to take long. */
function turnsOf({ concurrency, perHost, rendersPages = false }: CheckLoopOptions) {
  const caps = { perHost, total: concurrency }
  const gate = rendersPages ? createPageGate<Task>(caps) : createHostGate<Task>(caps)
  const slow = createSpeeds<number>({ slowMs: rendersPages ? SLOW_PAGE_MS : SLOW_MS, onlySlow: true })
  return { gate, slow, paces: createSpeeds<string>() }
}

/** How much is claimed at once, how much of one host may wait, and whether there is probably more. */
function claimingOf({ concurrency, perHost, claimsAhead = true }: CheckLoopOptions, paces: Speeds<string>) {
  const perSlot = (host: string) => {
    const pace = claimsAhead ? paces.mean(host) : LINE_MS
    return pace === undefined ? LINE_PER_SLOT : Math.max(1, LINE_MS / pace)
  }
  const claimSize = claimsAhead ? Math.min(1000, concurrency * 8) : concurrency
  return {
    claimSize,
    // Where one team fills the line of a host, there is still room for a few of another.
    // Of slow pages as many wait as are shown at once: with more of them there would be no room for others.
    isLineFull: (gate: HostGate<Task> | PageGate<Task>, { host, team = '' }: Task, isSlow: boolean) =>
      (isSlow && 'waitingSlow' in gate && gate.waitingSlow >= concurrency) ||
      (gate.waitingAt(host) >= perHost * perSlot(host) && gate.waitingAt(host, team) >= perHost),
    roomBeside: (active: number) => (claimsAhead ? claimSize : concurrency - active),
    // Without room, the next one that ends asks again; where much of one host is due, others may have it.
    isMore: (room: number, claimed: number, surplus: number) =>
      room === 0 || (claimed > room / 2 && (claimsAhead || surplus === 0)),
  }
}

function leasesOf({ source, leaseMs, log, metrics }: CheckLoopOptions): LeaseKeeper<Task> {
  return createLeaseKeeper({
    leaseMs,
    keyOf: ({ no }: Task) => no,
    extend: (tasks) => source.heartbeat(tasks),
    release: (tasks) => source.release(tasks, 0),
    onLost: ({ runId }) =>
      log.debug({ run_id: runId }, 'a check lost its lease: it was edited, deleted, or held for too long'),
    onFault(err, doing) {
      if (doing === 'release')
        return log.warn({ err }, 'could not give checks back; they are taken up again when their leases end')
      metrics.runnerApiFault()
      log.warn({ err }, 'a heartbeat failed')
    },
  })
}

/** What the runner API cannot take over comes again when its lease ends. */
async function handOver(
  { source, log, metrics }: CheckLoopOptions,
  lease: Lease<Task>,
  finished: Finished,
): Promise<void> {
  try {
    await source.complete(finished, finished.reading.kind === 'text' ? lostOf(lease) : undefined)
  } catch (error) {
    metrics.runnerApiFault()
    log.warn({ err: error, run_id: finished.task.runId }, 'an outcome was not taken over; its check runs again')
  }
}

/** Ends the question to the model when the check is no longer ours. */
function lostOf(lease: Lease<Task>): AbortSignal {
  lease.lost ??= new AbortController()
  return lease.lost.signal
}

/**
 * Does a check; what it throws is a failure of ours, and it is done once more: a helper process that died is there
 * again, and the site is not to count it as a failure. Controllers that never aborted serve the next check: a new one,
 * with what listens to it, costs 3 µs.
 */
function createAttempts({ check, log }: CheckLoopOptions): (lease: Lease<Task>) => Promise<Reading> {
  const spare: AbortController[] = []
  return async (lease) => {
    const { item: task } = lease
    const lost = (lease.lost = spare.pop() ?? new AbortController())
    const attempt = async () => check(task, lost.signal)
    const told = (err: unknown) =>
      log.error({ err, run_id: task.runId, monitor_id: task.monitorId }, 'a check threw; it is tried twice')
    try {
      return await attempt().catch((error: unknown) => {
        told(error)
        return lost.signal.aborted ? { kind: 'abandoned' as const } : attempt()
      })
    } catch (error) {
      told(error)
      return { kind: 'failed', fetchMethod: null, fault: INTERNAL, retryAfterMs: 0 }
    } finally {
      // What was aborted stays so: a drain gives it back.
      if (!lost.signal.aborted) {
        spare.push(lost)
        lease.lost = undefined
      }
    }
  }
}

const INTERNAL = {
  code: 'internal',
  message: 'The check failed through an internal error; the log has the details under the run id.',
} as const

/** Now, by the store's clock as far as this process knows it. */
function storeTime(task: Task): number {
  return Math.round(task.claimedMs + (performance.now() - task.claimedAt))
}
