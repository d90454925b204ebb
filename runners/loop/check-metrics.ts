import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Reading } from '../check/reading.ts'
import type { Task } from '../check/task.ts'

/** The events that the check loop reports to the metrics. */
export interface CheckMetrics {
  claimed(tasks: readonly Task[]): void
  finished(task: Task, reading: Reading, durationMs: number): void
  queue(waiting: number, active: number): void
  sourceFault(): void
}

const READ: ReadonlySet<Reading['kind']> = new Set(['values', 'text', 'search', 'look'])

/** Prometheus metrics of a check loop. Labels are few and have a fixed set of values: never an address or an id. */
export function createCheckMetrics(registry: Registry): CheckMetrics {
  const registers = [registry]
  const lateness = new Histogram({
    name: 'tidemark_check_lateness_seconds',
    help: 'From the time a check was due to its claim.',
    buckets: [0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 300, 1800],
    registers,
  })
  const duration = new Histogram({
    name: 'tidemark_check_duration_seconds',
    help: 'Fetch and extraction of a check.',
    labelNames: ['fetch_method'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  const outcomes = new Counter({
    name: 'tidemark_checks_total',
    help: 'Checks by outcome; for failures the code of the fault.',
    labelNames: ['outcome', 'code'],
    registers,
  })
  // Values that change with every check are read only when they are scraped.
  const now = { waiting: 0, active: 0, success: 0 }
  const gauge = (name: string, help: string, read: () => number): Gauge => gaugeOf(registry, name, help, read)
  gauge('tidemark_checks_waiting', 'Claimed checks that wait for a slot in this process.', () => now.waiting)
  gauge('tidemark_checks_active', 'Checks in flight in this process.', () => now.active)
  gauge('tidemark_last_success_timestamp_seconds', 'When a check last succeeded in this process.', () => now.success)
  const faults = new Counter({
    name: 'tidemark_store_faults_total',
    help: 'Claims, heartbeats and records that the store did not answer.',
    registers,
  })
  const durations = new Map<string, Histogram.Internal<string>>()
  const durationBy = (method: string) => {
    let child = durations.get(method)
    if (!child) durations.set(method, (child = duration.labels(method)))
    return child
  }
  const children = new Map<string, Counter.Internal>()
  const outcome = (kind: string, code: string) => {
    let child = children.get(kind + code)
    if (!child) children.set(kind + code, (child = outcomes.labels(kind, code)))
    return child
  }
  return {
    claimed(tasks) {
      for (const task of tasks)
        if (task.dueMs !== null) lateness.observe(Math.max(0, task.claimedMs - task.dueMs) / 1000)
    },
    finished(_, reading, ms) {
      // A check that moved to another queue is counted where it ends.
      if (reading.kind === 'abandoned' || reading.kind === 'moved') return
      durationBy(reading.fetchMethod ?? 'none').observe(ms / 1000)
      outcome(READ.has(reading.kind) ? 'read' : reading.kind, reading.kind === 'failed' ? reading.fault.code : '').inc()
      if (reading.kind !== 'failed') now.success = Date.now() / 1000
    },
    queue(waits, runs) {
      now.waiting = waits
      now.active = runs
    },
    sourceFault: () => faults.inc(),
  }
}

/** Returns a gauge whose value is read when it is scraped. */
function gaugeOf(registry: Registry, name: string, help: string, read: () => number): Gauge {
  return new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
}

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
