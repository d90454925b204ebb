import { exitLoad } from '../../core/serp/exit-load.ts'
import { ENGINE_NAMES } from '../../schema/serp/serp-search.ts'
import type { Queryable } from '../../store/db/client.ts'
import type { SerpMonitorRow } from '../../store/monitors/kinds/search-table.ts'
import { scheduledSearches } from '../../store/monitors/scheduled-searches.ts'
import { thresholdWarning } from './threshold-warning.ts'

/** The part of a stored monitor that a warning may be about. */
type Warned = Pick<SerpMonitorRow, 'engine' | 'mode' | 'next_run_at' | 'rank_change_threshold' | 'target_domain'>

/**
 * Returns what should be known about each of the monitors that were created or edited. Searches of all teams share the
 * exits, so more of them than the exits can do in time make each other late.
 */
export async function searchWarnings(
  store: Queryable,
  monitors: readonly Warned[],
  spacingMs: number,
): Promise<string[][]> {
  const scheduled = monitors.filter(({ next_run_at: next }) => next !== null)
  const ofEngine = new Map<string, string[]>()
  for (const engine of new Set(scheduled.map((monitor) => monitor.engine)))
    ofEngine.set(engine, await loadWarnings(store, engine, spacingMs))
  return monitors.map((monitor) => {
    const threshold = thresholdWarning(monitor)
    const load = monitor.next_run_at === null ? [] : (ofEngine.get(monitor.engine) ?? [])
    return [...(threshold === null ? [] : [threshold]), ...load]
  })
}

async function loadWarnings(store: Queryable, engine: Warned['engine'], spacingMs: number): Promise<string[]> {
  const { searches, exits } = await scheduledSearches(store, engine)
  const load = searches.reduce((sum, { pages, intervalSeconds, count }) => {
    return sum + count * exitLoad({ pages, intervalSeconds }, spacingMs)
  }, 0)
  if (load <= exits) return []
  const able = exits === 1 ? 'one exit address' : `${exits} exit addresses`
  return [
    `More searches at ${ENGINE_NAMES[engine]} are scheduled than ${able} can do in time, so checks will be late: ` +
      'choose a longer interval or fewer pages, or run workers with another TIDEMARK_EXIT_NAME behind another address.',
  ]
}
