import type { HostGate } from './host-gate.ts'
import type { Bound } from './host-queue.ts'

/** A gate for few places that are held for seconds, as those of a browser are. */
export interface PageGate<T extends Bound> extends HostGate<T> {
  /** Slow jobs that wait. */
  readonly waitingSlow: number
}

interface Waiting<T> {
  readonly job: T
  readonly isSlow: boolean
}

/**
 * Next is one of the team that holds the fewest places; of those, the one that came first and the one that came last
 * take turns: of whom nothing is known yet, any may hang, and so a newcomer waits for one of them and not for all. Slow
 * ones leave a place to the others. Looks through all that wait, which are few.
 *
 * Apart from `createHostGate`, where teams take turns at each host: here all hosts share the few places, so teams take
 * turns at all of them.
 */
export function createPageGate<T extends Bound>(caps: {
  readonly perHost: number
  readonly total: number
}): PageGate<T> {
  const mostSlow = Math.max(1, caps.total - 1)
  const active = new Set<Waiting<T>>()
  let line: Waiting<T>[] = []
  let takesLast = false

  const held = (which: (one: Waiting<T>) => boolean): number => [...active].filter(which).length
  const teamOf = ({ team = '' }: T): string => team
  const hasPlace = ({ job, isSlow }: Waiting<T>): boolean =>
    held((one) => one.job.host === job.host) < caps.perHost && !(isSlow && held((one) => one.isSlow) >= mostSlow)

  function pick(): Waiting<T> | undefined {
    const able = line.filter(hasPlace)
    const byTeam = new Map(able.map(({ job }) => [teamOf(job), held((one) => teamOf(one.job) === teamOf(job))]))
    const fewest = Math.min(...byTeam.values())
    const next = able.filter(({ job }) => byTeam.get(teamOf(job)) === fewest)
    return next.at(takesLast ? -1 : 0)
  }

  return {
    add: (job, isSlow = false) => void line.push({ job, isSlow }),
    next() {
      const picked = active.size < caps.total ? pick() : undefined
      if (!picked) return undefined
      takesLast = !takesLast
      line.splice(line.indexOf(picked), 1)
      active.add(picked)
      return picked.job
    },
    done(job) {
      for (const one of active) if (one.job === job) active.delete(one)
    },
    waitingAt: (host, team) =>
      line.filter(({ job }) => job.host === host && (team === undefined || teamOf(job) === team)).length,
    drain() {
      const left = line
      line = []
      return left.map(({ job }) => job)
    },
    get waiting() {
      return line.length
    },
    get active() {
      return active.size
    },
    get waitingSlow() {
      return line.filter(({ isSlow }) => isSlow).length
    },
  }
}
