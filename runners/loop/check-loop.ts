import { Gate } from '../../concurrency/gates/gate.ts'
import { createSpeeds, SLOW_MS, type Speeds } from '../../concurrency/gates/speed.ts'
import { createLeaseKeeper, type Lease, type LeaseKeeper } from '../../concurrency/leases/lease-keeper.ts'
import type { Outage } from '../../concurrency/loops/outage.ts'
import { Running, createWakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import type { Logger } from '../../core/logger.ts'
import type { Finished, CheckSource } from '../check/check-source.ts'
import type { Reading } from '../check/reading.ts'
import type { Task } from '../check/task.ts'
import { createAttempts, storeTime } from './check-attempts.ts'
import type { CheckMetrics } from './check-metrics.ts'

/** The options and ports of a check loop. Durations are in milliseconds. */
interface CheckLoopOptions {
  readonly source: CheckSource
  readonly check: (task: Task, signal: AbortSignal) => Promise<Reading>
  readonly log: Logger
  /** Of what the source asks: the store, or the runner API. */
  readonly outage: Outage
  readonly metrics: CheckMetrics
  readonly leaseMs: number
  /**
   * The most checks in flight, in total and per host. Teams leave slots to each other, because all checks of a team may
   * wait for sites that never answer.
   */
  readonly concurrency: number
  readonly perHost: number
  /**
   * False: no more checks are claimed than there are free slots, because other processes can take the rest. Default
   * true.
   */
  readonly claimsAhead?: boolean
  /**
   * Its checks use a few slots for seconds each: teams take turns at all slots, and slow checks leave one slot free.
   * Default false.
   */
  readonly rendersPages?: boolean
  /** How often an idle loop looks for due checks. Default 250. */
  readonly idleMs?: number
}

export interface CheckLoop {
  start(): void
  /** Looks for due checks now, because somebody asked for a run. */
  wake(): void
  /**
   * Claims no more and gives back checks that have not started. Waits at most this long for the rest, and then gives
   * back those that have not ended.
   */
  drain(graceMs: number): Promise<void>
  /** Milliseconds since the last claim got a response. Readiness is derived from it. */
  sinceProgress(): number
}

/**
 * The most checks of one host that may wait here is the number that its slots complete in this time. The rest is given
 * back for the same time. So a slow host cannot fill the queue, and a quick one always has work. If the pace of a host
 * is not known yet, a multiple of its cap may wait, and the rest is due again sooner.
 */
const QUEUE_MS = 3_000
const QUEUED_PER_SLOT = 16
const AGAIN_MS = 1_000
/** A store that does not respond is asked again after this time. */
const AWAY_PAUSES = { firstMs: 1_000, longestMs: 1_000 }

/**
 * Claims checks ahead of need, runs them within the caps, and records them. The loop is in one of four states: idle
 * (nothing is due; it looks again after idleMs or at a wake), busy (it claims again when fewer checks wait than one
 * claim takes), draining (it claims no more), or stopped. A store that is away is asked again each second.
 *
 * The time of a claim depends on the disk and on how busy the store is, and the queue must not become empty during it.
 * With claims of 512, started when 256 waited, the queue became empty at two claims of three, and a check waited longer
 * for the store than for its page (bench/README.md).
 */
export function createCheckLoop(options: CheckLoopOptions): CheckLoop {
  const { source, metrics, idleMs = 250 } = options
  const { gate, slow, paces } = turnsOf(options)
  const { claimSize, isQueueFull, roomBeside, isMore } = claimingOf(options, paces)
  const leases = leasesOf(options)
  const running = new Running()
  const claims = createWakeableLoop({ work: claim, faultPauses: AWAY_PAUSES, onFault: notAnswered(options) })
  const attempt = createAttempts(options)
  /** The last claim was full, so there are probably more due checks. */
  let more = false
  let lastProgress = performance.now()

  async function claim(): Promise<number> {
    const isAhead = gate.ahead >= claimSize
    const room = roomBeside(gate.active)
    const tasks = room > 0 ? await source.claim(room, gate.fullTeams()) : []
    lastProgress = performance.now()
    const surplus = take(tasks)
    // Without room for more checks of a team, the claim does not show whether there are more.
    more = isMore(room, tasks.length, surplus.length) || (isAhead && more)
    pump()
    await giveBack({ source, paces }, surplus, claims.isStopped)
    return more && gate.ahead < claimSize && roomBeside(gate.active) > 0 ? 0 : idleMs
  }

  /** Adds the tasks to the queue. Returns those for which there is no room. */
  function take(tasks: readonly Task[]): Task[] {
    metrics.claimed(tasks)
    return tasks.toSorted(byDueTime).filter((task) => {
      const isSlow = slow.of(task.no) === 'slow'
      if (claims.isStopped || isQueueFull(gate, task, isSlow)) return true
      leases.hold(task, task.claimedAt)
      gate.add(task, isSlow)
      return false
    })
  }

  function pump(): void {
    for (let task = gate.next(); task; task = gate.next()) {
      const lease = leases.of(task)
      if (lease) running.add(run(lease))
      else gate.drop(task)
    }
    metrics.queue(gate.waiting, gate.active)
    if (more && !claims.isUnderWay && gate.ahead < claimSize) {
      more = false
      claims.wake()
    }
  }

  async function run(lease: Lease<Task>): Promise<void> {
    const { item: task } = lease
    const startedMs = storeTime(task)
    const reading = await attempt(lease)
    const endedMs = storeTime(task)
    gate[reading.kind === 'abandoned' ? 'drop' : 'done'](task, endedMs - startedMs)
    pump()
    if (reading.kind === 'abandoned') return
    slow.took(task.no, endedMs - startedMs)
    paces.took(task.host, endedMs - startedMs)
    metrics.finished(task, reading, endedMs - startedMs)
    await handOver(options, lease, { task, reading, startedMs, endedMs })
    // A check that a drain aborted has to be given back, so its lease is kept.
    if (!lease.lost?.signal.aborted) leases.drop(lease)
  }

  return {
    start() {
      claims.start()
      leases.start()
    },
    wake: () => claims.wake(),
    async drain(graceMs) {
      // A claim that is under way gives back its tasks itself.
      const ended = claims.stop().then(() => running.settled())
      await leases.drain({ ended, unstarted: gate.drain() }, graceMs)
    },
    sinceProgress: () => performance.now() - lastProgress,
  }
}

/**
 * The check that was due first is first in line. What is given back is due again at one instant, so by that instant the
 * same checks could be given back each time, for as long as a host is too slow. What a person asked for is first.
 */
const byDueTime = (one: Task, other: Task): number => (one.dueMs ?? 0) - (other.dueMs ?? 0)

const notAnswered =
  ({ metrics, outage, log }: CheckLoopOptions) =>
  (err: unknown): void => {
    metrics.sourceFault()
    if (outage.covers(err, 'claims of checks')) return
    log.warn({ err }, 'the store did not answer a claim; asking again in a second')
  }

interface ReleasePorts {
  readonly source: CheckSource
  readonly paces: Speeds<string>
}

/** Gives back the checks for which there is no room. */
async function giveBack({ source, paces }: ReleasePorts, surplus: readonly Task[], atOnce: boolean): Promise<void> {
  const isKnown = ({ host }: Task) => paces.mean(host) !== undefined
  const known = surplus.filter(isKnown)
  const others = surplus.filter((task) => !isKnown(task))
  if (known.length > 0) await source.release(known, atOnce ? 0 : QUEUE_MS)
  if (others.length > 0) await source.release(others, atOnce ? 0 : AGAIN_MS)
}

/** Creates the gate that decides which check is next, and the record of slow checks. */
function turnsOf(options: CheckLoopOptions) {
  const { concurrency, perHost, claimsAhead = true, rendersPages = false } = options
  // Without claims ahead of need, a check that may not start would be held for nothing.
  const gate = new Gate<Task>({
    perHost,
    total: concurrency,
    policy: rendersPages ? 'fewest' : claimsAhead ? 'shares' : 'turns',
    // Some of what waits is for hosts at their cap, so claims go on at first.
    ...(claimsAhead && { mostAhead: 2 * claimSizeOf(options) }),
  })
  const slow = createSpeeds<number>({ slowMs: rendersPages ? SLOW_MS.renderedCheck : SLOW_MS.check, onlySlow: true })
  return { gate, slow, paces: createSpeeds<string>() }
}

const claimSizeOf = ({ concurrency, claimsAhead = true }: CheckLoopOptions): number =>
  claimsAhead ? Math.min(1000, concurrency * 8) : concurrency

/**
 * Decides how much is claimed at once, how much may wait here, and whether there are probably more due checks.
 *
 * Checks are claimed ahead of need, so that no slot waits for the store. Three bounds keep what waits few, and of many
 * hosts and teams. As an example, a process has 128 slots, 8 of them for one host, so a claim takes 1,000:
 *
 * - **Of a host**, as many wait as its slots complete in three seconds: 240 if a check takes 100 ms. At a host of no
 *   known pace it is 128, and 32 once a whole claim waits. Beyond that, each team may have 8 there, and then 1.
 * - **Of a team** that is not proven, as many wait as there are slots, 128, unless it is alone.
 * - **Of all**, once two claims are ahead, no more are claimed of the teams that have an even part of them: of ten
 *   teams, those with 200. Checks of such teams that were claimed nevertheless are taken up to half as many again.
 *
 * The first is decided here (`isQueueFull`), the others by the gate (`Shares`).
 */
function claimingOf(options: CheckLoopOptions, paces: Speeds<string>) {
  const { concurrency, perHost, claimsAhead = true } = options
  const claimSize = claimSizeOf(options)
  /** Hosts that hang, and teams that wait for them, leave room for the others. */
  const isCrowded = (waiting: number) => waiting >= claimSize
  const perSlot = (host: string, waiting: number) => {
    const pace = claimsAhead ? paces.mean(host) : QUEUE_MS
    if (pace !== undefined) return Math.max(1, QUEUE_MS / pace)
    return isCrowded(waiting) ? QUEUED_PER_SLOT / 4 : QUEUED_PER_SLOT
  }
  return {
    claimSize,
    // The number of waiting slow pages is limited to the number of slots: more of them would leave no room for others.
    // What is given back of a team may find slots in another process. If one team fills the queue of a host, there is
    // still room for a few checks of another team.
    isQueueFull: (gate: Gate<Task>, { host, team = '' }: Task, isSlow: boolean) =>
      gate.isFullOf(team, isSlow) ||
      (gate.waitingAt(host) >= perHost * perSlot(host, gate.waiting) &&
        gate.waitingAt(host, team) >= (isCrowded(gate.waiting) ? 1 : perHost)),
    roomBeside: (active: number) => (claimsAhead ? claimSize : concurrency - active),
    // If there is no room, the next check that ends claims again. If much of one host is due, other processes may claim
    // it.
    isMore: (room: number, claimed: number, surplus: number) =>
      room === 0 || (claimed > room / 2 && (claimsAhead || surplus === 0)),
  }
}

function leasesOf({ source, leaseMs, outage, log, metrics }: CheckLoopOptions): LeaseKeeper<Task> {
  return createLeaseKeeper({
    leaseMs,
    keyOf: ({ no }: Task) => no,
    extend: (tasks) => source.heartbeat(tasks),
    release: (tasks) => source.release(tasks, 0),
    onLost: ({ runId }) =>
      log.debug({ run_id: runId }, 'a check lost its lease: it was edited, deleted, or held for too long'),
    onFault(err, doing) {
      if (doing === 'extend') metrics.sourceFault()
      if (outage.covers(err, LEASE_WORK[doing])) return
      if (doing === 'release')
        return log.warn({ err }, 'could not give checks back; they are taken up again when their leases end')
      log.warn({ err }, 'a heartbeat failed')
    },
  })
}

const LEASE_WORK = { extend: 'heartbeats of checks', release: 'releases of checks' }

/** Hands over an outcome. If the check source does not accept it, the check is due again when its lease ends. */
async function handOver(
  { source, outage, log, metrics }: CheckLoopOptions,
  lease: Lease<Task>,
  finished: Finished,
): Promise<void> {
  try {
    await source.complete(finished, finished.reading.kind === 'text' ? lostOf(lease) : undefined)
  } catch (error) {
    metrics.sourceFault()
    if (outage.covers(error, 'outcomes that were given up')) return
    log.warn({ err: error, run_id: finished.task.runId }, 'an outcome was not accepted; its check runs again')
  }
}

/** Returns the signal that ends the question to the model when the lease is lost. */
function lostOf(lease: Lease<Task>): AbortSignal {
  lease.lost ??= new AbortController()
  return lease.lost.signal
}
