import type { Requester } from '../schema/account/audit.ts'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import { insertMonitor } from '../store/monitors/monitor-create.ts'
import { stopSchedule } from '../store/monitors/monitor-pause.ts'
import type { Invalid, NotFound } from '../core/outcome.ts'
import type { MonitorContext } from './context.ts'
import {
  type DoneMonitor,
  externalKeyTaken,
  isolationRefused,
  type KeyTaken,
  notStored,
  overDeliveryCap,
  type OverCap,
  type OverStorage,
} from './outcome.ts'

/** A request to create a monitor. */
interface MonitorCreation extends Requester {
  /** The account that the monitor is recorded under: the person, or the creator of the API key. */
  readonly userId: string
  /** Checked, with all defaults filled in. */
  readonly spec: MonitorSpec
  /** True: it is paused from the start. Default false. */
  readonly isPaused?: boolean
  /** For the audit entry. */
  readonly metadata?: AuditEntry['metadata']
}

/** Stores a checked monitor within the limits of the team's plan. Its first run is due at once, unless it is paused. */
export async function createMonitor(
  { store, secrets, wake }: MonitorContext,
  { teamId, actor, userId, spec, isPaused = false, metadata = {} }: MonitorCreation,
): Promise<DoneMonitor | OverCap | OverStorage | KeyTaken | Invalid | NotFound> {
  const outcome = await store.transaction(
    async (tx): Promise<DoneMonitor | OverCap | OverStorage | KeyTaken | Invalid | NotFound> => {
      const refused = await isolationRefused(tx, spec)
      if (refused) return refused
      const over = await overDeliveryCap(tx, teamId, spec)
      if (over) return over
      const taken = await externalKeyTaken(tx, teamId, 'page', { externalKey: spec.external_key })
      if (taken) return taken
      const monitor = await insertMonitor(tx, secrets, { teamId, userId, spec })
      if (!monitor) return notStored(tx, teamId)
      const target = { id: monitor.id, label: monitor.name }
      const facts = isPaused ? { ...metadata, paused: true } : metadata
      await recordAudit(tx, { teamId, actor, action: 'monitor.created', target, metadata: facts })
      return { kind: 'done', monitor: isPaused && !monitor.locked ? await stopSchedule(tx, monitor.no) : monitor }
    },
  )
  if (outcome.kind === 'done') wake()
  return outcome
}
