import type { Invalid, NotFound } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import { COLLISION_RETRIES, type Transaction } from '../store/db/client.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { lockMonitor, saveMonitor } from '../store/monitors/monitor-edit.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { type ChangedSince, changedSince } from './changed-since.ts'
import { auditedAs, type MonitorContext } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { mergedSpec } from './kinds/spec-kind.ts'
import { type LaterKeys, laterKeysIn } from './later-keys.ts'
import {
  externalKeyTaken,
  isolationRefused,
  type KeyTaken,
  type Managed,
  managedElsewhere,
  NO_MONITOR,
  notStored,
  type OverCap,
  type OverStorage,
  overDeliveryCap,
} from './outcome.ts'

/** An edit of a monitor. */
interface MonitorEdition<Spec> extends Requester {
  readonly id: string
  /** The patch. Its shape and its `monitorIssues` were checked already. */
  readonly patch: Partial<Spec>
  /** The entity tags of configurations that the patch is meant for (`configurationTag`). Undefined: any. */
  readonly seen?: readonly string[] | undefined
}

export type EditOutcome<Stored> =
  | { readonly kind: 'done'; readonly monitor: Stored }
  | NotFound
  | Managed
  | ChangedSince
  | LaterKeys
  | Invalid
  | OverCap
  | OverStorage
  | KeyTaken

/**
 * Replaces each key of a monitor's configuration that the patch has. A patch that changes nothing writes no audit
 * entry. A monitor that has more deliveries than a smaller plan allows keeps them, and is edited only when the edit
 * reduces them.
 */
export async function editMonitor<Spec extends EverySpec, Stored extends EveryRow>(
  context: MonitorContext,
  kind: Kind<Spec, Stored>,
  edition: MonitorEdition<Spec>,
): Promise<EditOutcome<Stored>> {
  const outcome = await context.store.transaction((tx) => edit(tx, { ...context, kind }, edition), COLLISION_RETRIES)
  if (outcome.kind === 'done') context.wake()
  return outcome
}

async function edit<Spec extends EverySpec, Stored extends EveryRow>(
  tx: Transaction,
  { secrets, kind }: Pick<MonitorContext, 'secrets'> & { readonly kind: Kind<Spec, Stored> },
  { teamId, actor, id, patch, seen }: MonitorEdition<Spec>,
): Promise<EditOutcome<Stored>> {
  const stored = await lockMonitor(tx, teamId, id, kind.table)
  if (!stored) return NO_MONITOR
  const managed = await managedElsewhere(tx, stored)
  if (managed) return managed
  const changed = changedSince(kind, secrets, stored, { seen, keys: Object.keys(patch) })
  if (changed) return changed
  const before = kind.table.spec(stored, secrets)
  const keys = Object.keys({ ...kind.implied(patch), ...patch })
  const later = laterKeysIn({ definition: kind.definition, stored, spec: before, keys })
  if (later) return later
  const merged = mergedSpec(kind, before, patch)
  if (!merged.ok) return { kind: 'invalid', issues: merged.issues }
  const spec = merged.value
  // What a monitor has already stays editable while its operator is away.
  const refused = patch.isolation === undefined ? null : await isolationRefused(tx, spec)
  if (refused) return refused
  const over = Object.keys(patch).length > 0 ? await overDeliveryCap(tx, teamId, spec) : null
  if (over) return over
  const externalKey = spec.external_key
  const taken = await externalKeyTaken(tx, teamId, kind.table.kind, { id, externalKey })
  if (taken) return taken
  const monitor = await changeSpec(tx, secrets, kind, { teamId, actor, stored, spec })
  return monitor === null ? notStored(tx, teamId) : { kind: 'done', monitor }
}

/** A valid configuration in place of the stored one. */
interface NewSpec<Spec, Stored> extends Requester {
  readonly stored: Stored
  readonly spec: Spec
  /** For the audit entry. */
  readonly metadata?: AuditEntry['metadata']
}

/**
 * Stores a configuration and its audit entry, if it differs from the one before. Returns the monitor; null when the
 * team has no room for it (`notStored`).
 */
export async function changeSpec<Spec extends EverySpec, Stored extends EveryRow>(
  tx: Transaction,
  secrets: SecretBox,
  kind: Kind<Spec, Stored>,
  { teamId, actor, stored, spec, metadata = {} }: NewSpec<Spec, Stored>,
): Promise<Stored | null> {
  const change = kind.change(kind.table.spec(stored, secrets), spec)
  if (change.changed.length === 0) return stored
  const monitor = await saveMonitor(tx, secrets, kind.table, { stored, spec, ...change })
  if (monitor === null) return null
  const target = { id: monitor.id, label: monitor.name }
  await recordAudit(tx, {
    teamId,
    actor,
    action: auditedAs(kind, 'updated'),
    target,
    metadata: { ...metadata, changed: change.changed },
  })
  return monitor
}
