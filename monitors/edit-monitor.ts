import type { Invalid, NotFound } from '../core/outcome.ts'
import { type MonitorPatch, MonitorSpec } from '../schema/monitor/monitor.ts'
import { withDefaults, checkerOf } from '../schema/validation/validate.ts'
import type { Requester } from '../schema/account/audit.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { lockMonitor, saveMonitor } from '../store/monitors/monitor-edit.ts'
import { type MonitorRow, monitorSpec } from '../store/monitors/monitor-record.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { MonitorContext, OneMonitor } from './context.ts'
import {
  type DoneMonitor,
  externalKeyTaken,
  isolationRefused,
  type KeyTaken,
  type Managed,
  managedElsewhere,
  NO_MONITOR,
  type OverCap,
  overDeliveryCap,
} from './outcome.ts'
import { specChange } from './spec-change.ts'

/** An edit of a monitor. */
interface MonitorEdition extends OneMonitor {
  /** The patch. Its shape and its `monitorIssues` were checked already. */
  readonly patch: MonitorPatch
}

type EditOutcome = DoneMonitor | NotFound | Managed | Invalid | OverCap | KeyTaken

/**
 * Replaces each key of a monitor's configuration that the patch has. A patch that changes nothing writes no audit
 * entry. A monitor that has more deliveries than a smaller plan allows keeps them, and is edited only when the edit
 * reduces them.
 */
export async function editMonitor(context: MonitorContext, edition: MonitorEdition): Promise<EditOutcome> {
  const outcome = await context.store.transaction((tx) => edit(tx, context, edition))
  if (outcome.kind === 'done') context.wake()
  return outcome
}

async function edit(
  tx: Transaction,
  { secrets }: Pick<MonitorContext, 'secrets'>,
  { teamId, actor, id, patch }: MonitorEdition,
): Promise<EditOutcome> {
  const stored = await lockMonitor(tx, teamId, id)
  if (!stored) return NO_MONITOR
  const managed = await managedElsewhere(tx, stored)
  if (managed) return managed
  const before = monitorSpec(stored, secrets)
  const merged = whole.validate(withDefaults(MonitorSpec, { ...before, ...patch }))
  if (!merged.ok) return { kind: 'invalid', issues: merged.issues }
  const spec = merged.value
  // What a monitor has already stays editable while its operator is away.
  const refused = patch.isolation === undefined ? null : await isolationRefused(tx, spec)
  if (refused) return refused
  const over = Object.keys(patch).length > 0 ? await overDeliveryCap(tx, teamId, spec) : null
  if (over) return over
  const { external_key: externalKey } = merged.value
  const taken = await externalKeyTaken(tx, teamId, 'page', { id, externalKey })
  if (taken) return taken
  return { kind: 'done', monitor: await changeSpec(tx, secrets, { teamId, actor, stored, before, spec }) }
}

/** A valid configuration in place of the stored one. */
interface SpecChange extends Requester {
  readonly stored: MonitorRow
  readonly before: MonitorSpec
  readonly spec: MonitorSpec
  /** For the audit entry. */
  readonly metadata?: AuditEntry['metadata']
}

/** Stores a configuration and its audit entry, if it differs from the one before. Returns the monitor. */
export async function changeSpec(
  tx: Transaction,
  secrets: SecretBox,
  { teamId, actor, stored, before, spec, metadata = {} }: SpecChange,
): Promise<MonitorRow> {
  const { changed, ...consequences } = specChange(before, spec)
  if (changed.length === 0) return stored
  const monitor = await saveMonitor(tx, secrets, { stored, spec, changed, ...consequences })
  const target = { id: monitor.id, label: monitor.name }
  await recordAudit(tx, { teamId, actor, action: 'monitor.updated', target, metadata: { ...metadata, changed } })
  return monitor
}

/** Returns the record after the edit: keys that are missing inside a replaced value get their defaults again. */
const whole = checkerOf(MonitorSpec)
