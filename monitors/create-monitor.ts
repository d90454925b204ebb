import type { Invalid, NotFound } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { insertMonitors } from '../store/monitors/monitor-create.ts'
import { stopSchedule } from '../store/monitors/monitor-pause.ts'
import { auditedAs, type MonitorContext } from './context.ts'
import type { Kind } from './kinds/kind.ts'
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
interface MonitorCreation<Spec> extends Requester {
  /** The account that the monitor is recorded under: the person, or the creator of the API key. */
  readonly userId: string
  /** Checked, with all defaults filled in. */
  readonly spec: Spec
  /** True: it is paused from the start. Default false. */
  readonly isPaused?: boolean
  /** For the audit entry. */
  readonly metadata?: AuditEntry['metadata']
}

export type CreateOutcome<Row extends EveryRow> =
  | DoneMonitor<Row>
  | OverCap
  | OverStorage
  | KeyTaken
  | Invalid
  | NotFound

/**
 * Stores a checked monitor within the limits of the team's plan. Its first run is due at once, unless it is paused or
 * the plan locks it: a search without SERP and credits runs once there are some.
 */
export async function createMonitor<Spec extends EverySpec, Row extends EveryRow>(
  context: MonitorContext,
  kind: Kind<Spec, Row>,
  creation: MonitorCreation<Spec>,
): Promise<CreateOutcome<Row>> {
  const outcome = await context.store.transaction((tx) => create(tx, { ...context, kind }, creation))
  if (outcome.kind === 'done') context.wake()
  return outcome
}

async function create<Spec extends EverySpec, Row extends EveryRow>(
  tx: Transaction,
  { secrets, kind }: Pick<MonitorContext, 'secrets'> & { readonly kind: Kind<Spec, Row> },
  { teamId, actor, userId, spec, isPaused = false, metadata = {} }: MonitorCreation<Spec>,
): Promise<CreateOutcome<Row>> {
  const refused = await isolationRefused(tx, spec)
  if (refused) return refused
  const over = await overDeliveryCap(tx, teamId, spec)
  if (over) return over
  const taken = await externalKeyTaken(tx, teamId, kind.table.kind, { externalKey: spec.external_key })
  if (taken) return taken
  const [monitor = null] = await insertMonitors(tx, secrets, kind.table, [{ teamId, userId, spec }])
  if (!monitor) return notStored(tx, teamId)
  const target = { id: monitor.id, label: monitor.name }
  const facts = isPaused ? { ...metadata, paused: true } : metadata
  await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'created'), target, metadata: facts })
  return {
    kind: 'done',
    monitor: isPaused && !monitor.locked ? await stopSchedule(tx, monitor.no, kind.table) : monitor,
  }
}
