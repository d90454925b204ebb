import type { Registry } from 'prom-client'
import type { Logger } from '../../../core/logger.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import type { CheckPorts } from '../../../runners/check/check.ts'
import type { Reading } from '../../../runners/check/reading.ts'
import type { Task } from '../../../runners/check/task.ts'
import type { CheckSource } from '../../../runners/check/check-source.ts'
import { type CheckLoop, createCheckLoop } from '../../../runners/loop/check-loop.ts'
import { createCheckMetrics } from '../../../runners/loop/check-metrics.ts'
import { shareMetrics } from '../../../runners/loop/share-metrics.ts'
import type { CheckQueue } from '../../../core/check-queue.ts'
import type { Settings } from '../settings/read-config.ts'

interface CheckLoopsContext {
  readonly settings: Settings
  readonly registry: Registry
  readonly log: Logger
  /** Null: checks that need a browser are not claimed here. */
  readonly browsers: Browsers | null
  runnerApiOf(queues: readonly CheckQueue[]): CheckSource
  check(task: Task, browser: CheckPorts['browser'], signal: AbortSignal): Promise<Reading>
}

/**
 * Returns the check loops of a process as one. Rendered checks have a loop of their own: pages that take a minute must
 * not use the slots of pages that take a millisecond. That loop claims no more checks than the browser can show at
 * once.
 */
export function createCheckLoops(context: CheckLoopsContext): CheckLoop {
  const { settings, registry, log, browsers } = context
  const metricsOfOne = shareMetrics(createCheckMetrics(registry))
  const loopOf = (queues: readonly CheckQueue[], concurrency: number, browser: CheckPorts['browser']): CheckLoop =>
    createCheckLoop({
      source: context.runnerApiOf(queues),
      check: (task, signal) => context.check(task, browser, signal),
      log,
      metrics: metricsOfOne(),
      leaseMs: settings.TIDEMARK_LEASE_SECONDS * 1000,
      concurrency,
      // Hanging pages of one site must not use all slots.
      perHost: Math.min(settings.TIDEMARK_HOST_CONCURRENCY, Math.ceil(concurrency / 2)),
      rendersPages: browser !== 'elsewhere',
    })
  const loops = [
    // Nobody claims searches yet: there is no monitor of that kind, and none can be made.
    loopOf(['static'], settings.TIDEMARK_CHECK_CONCURRENCY, 'elsewhere'),
    ...(browsers ? [loopOf(['browser', 'visual'], settings.TIDEMARK_BROWSER_PAGES, browsers)] : []),
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
