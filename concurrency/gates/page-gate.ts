import type { HostGate, HostJob } from './host-gate.ts'
import { partOf } from './team-shares.ts'

/** A gate for a few slots that are used for seconds each, such as those of a browser. */
export interface PageGate<T extends HostJob> extends HostGate<T> {
  /** Slow jobs that wait. */
  readonly waitingSlow: number
}

interface Waiting<T> {
  readonly job: T
  readonly isSlow: boolean
}

/**
 * The next job is one of the team that uses the fewest slots. Within those, the first and the last that arrived take
 * turns: any unknown job may hang, so a new one should wait for one of them and not for all. Slow jobs leave a slot to
 * the others. All waiting jobs are examined; there are only a few.
 *
 * It is separate from `createHostGate`, which examines one job only, and where a team may use many slots in its turn.
 */
export function createPageGate<T extends HostJob>(caps: {
  readonly perHost: number
  readonly total: number
  /** As in `createHostGate`. */
  readonly mostAhead?: number
}): PageGate<T> {
  const { mostAhead = Infinity } = caps
  const mostSlow = Math.max(1, caps.total - 1)
  const active = new Set<Waiting<T>>()
  let queue: Waiting<T>[] = []
  let takesLast = false

  const held = (which: (one: Waiting<T>) => boolean): number => [...active].filter(which).length
  const teamOf = ({ team = '' }: T): string => team
  const hasSlot = ({ job, isSlow }: Waiting<T>): boolean =>
    held((one) => one.job.host === job.host) < caps.perHost && !(isSlow && held((one) => one.isSlow) >= mostSlow)

  function pick(): Waiting<T> | undefined {
    const able = queue.filter(hasSlot)
    const byTeam = new Map(able.map(({ job }) => [teamOf(job), held((one) => teamOf(one.job) === teamOf(job))]))
    const fewest = Math.min(...byTeam.values())
    const next = able.filter(({ job }) => byTeam.get(teamOf(job)) === fewest)
    return next.at(takesLast ? -1 : 0)
  }

  /** The teams that have their part of the jobs that wait. */
  function withTheirPart(): string[] {
    const byTeam = new Map<string, number>()
    for (const { job } of queue) byTeam.set(teamOf(job), (byTeam.get(teamOf(job)) ?? 0) + 1)
    const part = partOf(mostAhead, byTeam.size)
    return [...byTeam].filter(([team, waiting]) => team !== '' && waiting >= part).map(([team]) => team)
  }

  return {
    add: (job, isSlow = false) => void queue.push({ job, isSlow }),
    next() {
      const picked = active.size < caps.total ? pick() : undefined
      if (!picked) return undefined
      takesLast = !takesLast
      queue.splice(queue.indexOf(picked), 1)
      active.add(picked)
      return picked.job
    },
    done(job) {
      for (const one of active) if (one.job === job) active.delete(one)
    },
    drop(job) {
      this.done(job)
    },
    waitingAt: (host, team) =>
      queue.filter(({ job }) => job.host === host && (team === undefined || teamOf(job) === team)).length,
    isFullOf: (team) => queue.length >= 1.5 * mostAhead && withTheirPart().includes(team),
    fullTeams: () => (queue.length >= mostAhead ? withTheirPart() : []),
    drain() {
      const left = queue
      queue = []
      return left.map(({ job }) => job)
    },
    get waiting() {
      return queue.length
    },
    get ahead() {
      return queue.length
    },
    get active() {
      return active.size
    },
    get waitingSlow() {
      return queue.filter(({ isSlow }) => isSlow).length
    },
  }
}
