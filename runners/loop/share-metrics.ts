import type { CheckMetrics } from './check-metrics.ts'

/** The metrics of one process for several loops in it: waiting and running checks are summed over the loops. */
export function shareMetrics(metrics: CheckMetrics): () => CheckMetrics {
  const loops: { waiting: number; active: number }[] = []
  const sum = (key: 'waiting' | 'active'): number => loops.reduce((total, loop) => total + loop[key], 0)
  return () => {
    const own = { waiting: 0, active: 0 }
    loops.push(own)
    return {
      ...metrics,
      queue(waiting, active) {
        own.waiting = waiting
        own.active = active
        metrics.queue(sum('waiting'), sum('active'))
      },
    }
  }
}
