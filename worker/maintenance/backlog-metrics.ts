import { Gauge, type Registry } from 'prom-client'
import { withTimeout } from '../../concurrency/loops/retry.ts'
import type { Store } from '../../store/db/client.ts'
import { type Backlog, MAX_COUNTED, readBacklog } from '../../store/maintenance/backlog.ts'

/** Results are cached for this long: several systems may scrape, and the store is asked once. */
const FRESH_MS = 5_000
/**
 * The longest time that a scrape waits for the store. After that these gauges are left out and the rest is returned.
 */
const PATIENCE_MS = 2_000

/**
 * Gauges of what waits in the store. All processes share the store and report the same numbers, so use the maximum over
 * them.
 */
export function createBacklogMetrics(registry: Registry, store: Store): void {
  /** Null when the store fails or takes too long. */
  let read: { readonly at: number; readonly answer: Promise<Backlog | null> } | null = null
  const answer = () => {
    if (read === null || performance.now() - read.at > FRESH_MS)
      read = {
        at: performance.now(),
        answer: withTimeout(readBacklog(store), PATIENCE_MS, () => null).catch(() => null),
      }
    return read.answer
  }
  for (const [key, name, help] of GAUGES)
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const backlog = await answer()
        if (backlog === null) this.remove()
        else this.set(backlog[key])
      },
    })
}

const atMost = (what: string) => `${what}, counted up to ${MAX_COUNTED}.`
const GAUGES = [
  ['checks_due', 'tidemark_checks_due', atMost('Checks in the store that are due and not claimed')],
  ['oldest_check_seconds', 'tidemark_checks_oldest_due_seconds', 'For how long the most overdue check has been due.'],
  [
    'checks_unrendered',
    'tidemark_checks_without_browser',
    atMost('Checks that have waited for ten minutes for a browser that no process offers'),
  ],
  [
    'checks_above_level',
    'tidemark_checks_above_level',
    atMost('Checks that have waited for ten minutes for a worker or runner of a later version: upgrade these'),
  ],
  [
    'messages_above_level',
    'tidemark_deliveries_above_level',
    atMost('Deliveries and notices that have waited for ten minutes for a worker of a later version: upgrade these'),
  ],
  ['previews_waiting', 'tidemark_previews_waiting', atMost('Previews that wait for a runner')],
  ['deliveries_waiting', 'tidemark_deliveries_waiting', atMost('Deliveries in the store that are not done')],
  ['deliveries_due', 'tidemark_deliveries_due', atMost('Deliveries in the store that are due and not claimed')],
  [
    'oldest_delivery_seconds',
    'tidemark_deliveries_oldest_due_seconds',
    'For how long the most overdue delivery has been due.',
  ],
  [
    'deliveries_given_up',
    'tidemark_deliveries_given_up_last_day',
    atMost('Deliveries given up in the last 24 hours: six attempts failed, or it was refused for good'),
  ],
  [
    'deliveries_dead',
    'tidemark_deliveries_dead_last_day',
    atMost('Old: use tidemark_deliveries_given_up_last_day. Those whose six attempts failed'),
  ],
  ['teams_near_limit', 'tidemark_teams_near_run_limit', atMost('Teams that have used 80 to 99 percent of their runs')],
  ['teams_used_up', 'tidemark_teams_out_of_runs', atMost('Teams without runs and credits, whose checks wait')],
  ['trials_over', 'tidemark_teams_trial_over', atMost('Teams whose trial has ended, and whose monitors are locked')],
] as const satisfies readonly (readonly [keyof Backlog, string, string])[]
