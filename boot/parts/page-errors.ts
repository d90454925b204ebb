import { Counter, type Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import type { InternalErrorReport } from '../../runners/extract/internal-fault.ts'

const NAME = 'tidemark_page_errors_total'

interface PageErrorPorts {
  readonly registry: Registry
  readonly log: Logger
}

/** Returns what counts and logs an unexpected error while a page was read. Parts of one process share the metric. */
export function pageErrorsOf({ registry, log }: PageErrorPorts): InternalErrorReport {
  const errors =
    (registry.getSingleMetric(NAME) as Counter | undefined) ??
    new Counter({
      name: NAME,
      help: 'Pages that an error of Tidemark kept from being read. The log has the stack of each.',
      registers: [registry],
    })
  return (trace, runId) => {
    errors.inc()
    log.error({ err: trace, run_id: runId || null }, 'a page could not be read because of an error of Tidemark')
  }
}
