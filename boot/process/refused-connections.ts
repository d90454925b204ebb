import { Counter, type Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import type { OnRefused } from '../../platform/connection-guard.ts'

const NAME = 'tidemark_connections_refused_total'
const LINE_EVERY_MS = 60_000

/**
 * Returns what counts the connections that a port refuses because their address has too many. The log has a line a
 * minute at most: the refused client decides how many there are.
 */
export function countRefused(
  { registry, log }: { readonly registry: Registry; readonly log: Pick<Logger, 'warn'> },
  port: 'api' | 'runner_api' | 'metrics',
): OnRefused {
  const counter =
    (registry.getSingleMetric(NAME) as Counter<'port'> | undefined) ??
    new Counter({
      name: NAME,
      help: 'Connections that were refused because their address has too many.',
      labelNames: ['port'],
      registers: [registry],
    })
  counter.inc({ port }, 0)
  let since = 0
  let nextLineAt = 0
  return (key) => {
    counter.inc({ port })
    since += 1
    const now = performance.now()
    if (now < nextLineAt) return
    log.warn({ port, address: key, refused: since }, 'an address has too many connections; more of them are refused')
    since = 0
    nextLineAt = now + LINE_EVERY_MS
  }
}
