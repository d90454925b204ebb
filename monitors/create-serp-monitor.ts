import type { NotFound } from '../core/outcome.ts'
import { exitLoad } from '../core/serp/exit-load.ts'
import type { Requester } from '../schema/account/audit.ts'
import type { SerpMonitorSpec } from '../schema/serp/serp-monitor.ts'
import { ENGINE_NAMES } from '../schema/serp/serp-search.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Queryable } from '../store/db/client.ts'
import { stopSchedule } from '../store/monitors/monitor-pause.ts'
import type { SerpMonitorRow } from '../store/monitors/monitor-record.ts'
import { insertSerpMonitor, scheduledSearches } from '../store/monitors/serp-monitors.ts'
import { thresholdWarning } from './check/threshold-warning.ts'
import { auditedAs, type MonitorContext } from './context.ts'
import {
  type DoneMonitor,
  externalKeyTaken,
  type KeyTaken,
  notStored,
  overDeliveryCap,
  type OverCap,
  type OverStorage,
} from './outcome.ts'

/** A request to create a monitor of a search. */
interface SerpMonitorCreation extends Requester {
  /** The account that the monitor is recorded under: the person, or the creator of the API key. */
  readonly userId: string
  /** Checked, with all defaults filled in. */
  readonly spec: SerpMonitorSpec
  /** True: it is paused from the start. Default false. */
  readonly isPaused?: boolean
  /** For the audit entry. */
  readonly metadata?: AuditEntry['metadata']
}

/**
 * Stores a checked monitor of a search within the limits of the team's plan. Its first run is due at once. Where the
 * plan has no SERP and no credits are left, it is created locked, and runs once there are credits or SERP.
 */
export async function createSerpMonitor(
  { store, secrets, wake }: MonitorContext,
  { teamId, actor, userId, spec, isPaused = false, metadata = {} }: SerpMonitorCreation,
): Promise<DoneMonitor<'serp'> | OverCap | OverStorage | KeyTaken | NotFound> {
  const outcome = await store.transaction(
    async (tx): Promise<DoneMonitor<'serp'> | OverCap | OverStorage | KeyTaken | NotFound> => {
      const over = await overDeliveryCap(tx, teamId, spec)
      if (over) return over
      const taken = await externalKeyTaken(tx, teamId, 'serp', { externalKey: spec.external_key })
      if (taken) return taken
      const monitor = await insertSerpMonitor(tx, secrets, { teamId, userId, spec })
      if (!monitor) return notStored(tx, teamId)
      const target = { id: monitor.id, label: monitor.name }
      const facts = isPaused ? { ...metadata, paused: true } : metadata
      await recordAudit(tx, { teamId, actor, action: auditedAs('serp', 'created'), target, metadata: facts })
      return {
        kind: 'done',
        monitor: isPaused && !monitor.locked ? await stopSchedule(tx, monitor.no, 'serp') : monitor,
      }
    },
  )
  if (outcome.kind === 'done') wake()
  return outcome
}

/** The part of a stored monitor that a warning may be about. */
type Warned = Pick<SerpMonitorRow, 'engine' | 'mode' | 'next_run_at' | 'rank_change_threshold' | 'target_domain'>

/**
 * Returns what should be known about each of the monitors that were created or edited. Searches of all teams share the
 * exits, so more of them than the exits can do in time make each other late.
 */
export async function serpMonitorWarnings(
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
