import type { Registry } from 'prom-client'
import type { CheckQueue } from '../../core/check-queue.ts'
import type { Logger } from '../../core/logger.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import type { CheckSource } from '../../runners/check/check-source.ts'
import type { CheckPorts } from '../../runners/check/check.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { Task } from '../../runners/check/task.ts'
import { type CheckLoop, createCheckLoop } from '../../runners/loop/check-loop.ts'
import { createCheckMetrics, shareMetrics } from '../../runners/loop/check-metrics.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import type { Settings } from '../settings/read-config.ts'

interface LoopOptions {
  readonly concurrency: number
  /** Default: elsewhere. */
  readonly browser?: CheckPorts['browser']
  /** Default: that of the loop. */
  readonly idleMs?: number
}

/** Each is settled by a few statements, and many minutes may pass until the next one. */
const SEARCHES_WITHOUT_BROWSER = { concurrency: 8, idleMs: 1_000 } as const

interface CheckLoopsContext {
  readonly settings: Settings
  readonly registry: Registry
  readonly log: Logger
  /** Null: checks that need a browser are not claimed here. */
  readonly browsers: Browsers | null
  /** Queues of searches, and of every kind that has its own queue. */
  readonly own: readonly CheckQueue[]
  sourceOf(queues: readonly CheckQueue[]): CheckSource
  check(task: Task, browser: CheckPorts['browser'], signal: AbortSignal): Promise<Reading>
}

/**
 * Returns the check loops of a process as one. Rendered checks have their own loop: pages that take a minute must not
 * use the slots of pages that take a millisecond. That loop claims no more checks than the browser can show at once.
 * Without a browser, searches have their own loop, which settles those that ask no engine from here.
 */
export function createCheckLoops(context: CheckLoopsContext): CheckLoop {
  const { settings, registry, log, browsers, own } = context
  const metricsOfOne = shareMetrics(createCheckMetrics(registry))
  const loopOf = (
    queues: readonly CheckQueue[],
    { concurrency, browser = 'elsewhere', idleMs }: LoopOptions,
  ): CheckLoop =>
    createCheckLoop({
      ...(idleMs !== undefined && { idleMs }),
      source: context.sourceOf(queues),
      check: (task, signal) => context.check(task, browser, signal),
      log,
      outage: storeOutage(log),
      metrics: metricsOfOne(),
      leaseMs: settings.TIDEMARK_LEASE_SECONDS * 1000,
      concurrency,
      // Hanging pages of one site must not use all slots.
      perHost: Math.min(settings.TIDEMARK_HOST_CONCURRENCY, Math.ceil(concurrency / 2)),
      rendersPages: browser !== 'elsewhere',
    })
  const loops = [
    loopOf(['static'], { concurrency: settings.TIDEMARK_CHECK_CONCURRENCY }),
    browsers
      ? loopOf(['browser', 'visual', ...own], { concurrency: settings.TIDEMARK_BROWSER_PAGES, browser: browsers })
      : loopOf(own, SEARCHES_WITHOUT_BROWSER),
  ]
  return {
    start: () => loops.forEach((loop) => loop.start()),
    wake: () => loops.forEach((loop) => loop.wake()),
    async drain(graceMs) {
      await Promise.all(loops.map((loop) => loop.drain(graceMs)))
    },
    sinceProgress: () => Math.max(...loops.map((loop) => loop.sinceProgress())),
  }
}
