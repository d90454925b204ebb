import type { Invalid, NotFound } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { MonitorContext } from './context.ts'
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
import type { MonitorRecord, RecordKind } from './record-kind.ts'

/** An edit of a monitor. */
interface MonitorEdition<Spec> extends Requester {
  readonly id: string
  /** The patch. Its shape and its `monitorIssues` were checked already. */
  readonly patch: Partial<Spec>
}

type EditOutcome<Stored> =
  | { readonly kind: 'done'; readonly monitor: Stored }
  | NotFound
  | Managed
  | Invalid
  | OverCap
  | OverStorage
  | KeyTaken

/** What the configurations of all kinds have, as far as an edit looks at it. */
type AnySpec = Pick<MonitorSpec, 'deliveries' | 'external_key'> & Partial<Pick<MonitorSpec, 'isolation'>>

/**
 * Replaces each key of a monitor's configuration that the patch has. A patch that changes nothing writes no audit
 * entry. A monitor that has more deliveries than a smaller plan allows keeps them, and is edited only when the edit
 * reduces them.
 */
export async function editMonitor<Spec extends AnySpec, Stored extends MonitorRecord>(
  context: MonitorContext,
  kind: RecordKind<Spec, Stored>,
  edition: MonitorEdition<Spec>,
): Promise<EditOutcome<Stored>> {
  const outcome = await context.store.transaction((tx) => edit(tx, { ...context, kind }, edition))
  if (outcome.kind === 'done') context.wake()
  return outcome
}

async function edit<Spec extends AnySpec, Stored extends MonitorRecord>(
  tx: Transaction,
  { secrets, kind }: Pick<MonitorContext, 'secrets'> & { readonly kind: RecordKind<Spec, Stored> },
  { teamId, actor, id, patch }: MonitorEdition<Spec>,
): Promise<EditOutcome<Stored>> {
  const stored = await kind.lock(tx, teamId, id)
  if (!stored) return NO_MONITOR
  const managed = await managedElsewhere(tx, stored)
  if (managed) return managed
  const merged = kind.merge(kind.spec(secrets, stored), patch)
  if (!merged.ok) return { kind: 'invalid', issues: merged.issues }
  const spec = merged.value
  // What a monitor has already stays editable while its operator is away.
  const refused = patch.isolation === undefined ? null : await isolationRefused(tx, spec)
  if (refused) return refused
  const over = Object.keys(patch).length > 0 ? await overDeliveryCap(tx, teamId, spec) : null
  if (over) return over
  const externalKey = spec.external_key
  const taken = await externalKeyTaken(tx, teamId, kind.resource.declares, { id, externalKey })
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
export async function changeSpec<Spec, Stored extends MonitorRecord>(
  tx: Transaction,
  secrets: SecretBox,
  kind: RecordKind<Spec, Stored>,
  { teamId, actor, stored, spec, metadata = {} }: NewSpec<Spec, Stored>,
): Promise<Stored | null> {
  const change = kind.change(kind.spec(secrets, stored), spec)
  if (change.changed.length === 0) return stored
  const monitor = await kind.save(tx, secrets, { stored, spec, ...change })
  if (monitor === null) return null
  const target = { id: monitor.id, label: monitor.name }
  const action = `${kind.audited}.updated` as const
  await recordAudit(tx, { teamId, actor, action, target, metadata: { ...metadata, changed: change.changed } })
  return monitor
}
