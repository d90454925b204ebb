import { isUuid } from '../core/is-uuid.ts'
import { type Requester, SYSTEM } from '../schema/account/audit.ts'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { beginEpoch } from '../store/db/operator-epoch.ts'
import { insertMonitor } from '../store/monitors/monitor-create.ts'
import { hideMonitor } from '../store/monitors/monitor-delete.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { type MonitorRow, monitorSpec } from '../store/monitors/monitor-record.ts'
import {
  type AppliedState,
  type DeclaredRow,
  findDeclared,
  lockDeclared,
  lockResource,
  declaredRecords,
  releaseDeclared,
  type ResourceIdentity,
  resourceOf,
  saveDeclared,
  setSuspended,
} from '../store/monitors/monitor-resource.ts'
import { findMonitor } from '../store/monitors/monitors.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { MonitorContext } from './context.ts'
import { changeSpec } from './edit-monitor.ts'
import { overDeliveryCap, type OverCap } from './outcome.ts'
import { run, type RunOutcome } from './run-monitor.ts'
import { specChange } from './spec-change.ts'

/** A custom resource and what it declares. */
interface Declaration extends Requester {
  readonly resource: ResourceIdentity
  readonly state: AppliedState
  /** The account that a new monitor is recorded under: the owner of the team. */
  readonly userId: string
  /** Checked, with the values of its Secrets. */
  readonly spec: MonitorSpec
  readonly suspend: boolean
  /** The monitor of the API that the resource takes over, where it declares none yet. */
  readonly adopts: string | null
}

/** The record declares what the resource says. */
interface Applied {
  readonly kind: 'applied'
  readonly change: 'created' | 'adopted' | 'updated' | 'unchanged'
  readonly monitor: MonitorRow
  /** What became of the run that the resource asks for. Null: it asks for none, or it was asked for before. */
  readonly requested: RunOutcome | null
}

/** The record that the resource is to take over is unknown to its team, or declared by another resource. */
interface NotAdoptable {
  readonly kind: 'not_adoptable'
  /** The resource that declares it. Null: the team has no such record. */
  readonly by: ResourceIdentity | null
}

/** The resource declares a record of another team: its namespace belonged to that team before. */
interface OtherTeam {
  readonly kind: 'other_team'
}

type ApplyOutcome = Applied | OverCap | NotAdoptable | OtherTeam

type Context = Pick<MonitorContext, 'store' | 'secrets' | 'wake'>

/**
 * Returns whether the record still is what the resource declares: nobody changed either behind the operator's back. It
 * only reads.
 */
export async function isAsDeclared(
  { store, secrets }: Pick<Context, 'store' | 'secrets'>,
  { teamId, resource, state, spec, suspend }: Omit<Declaration, 'actor' | 'userId' | 'adopts'>,
): Promise<boolean> {
  const declared = await findDeclared(store, resource)
  if (!declared || !isSameState(declared, state)) return false
  const stored = await findMonitor(store, teamId, declared.monitor_id)
  if (!stored || stored.suspended !== suspend) return false
  const before = monitorSpec(stored, secrets)
  return specChange(before, { ...spec, template_slug: before.template_slug }).changed.length === 0
}

const isSameState = (declared: DeclaredRow, { uid, generation, hash, lastRequest }: AppliedState): boolean =>
  declared.uid === uid &&
  declared.generation === generation &&
  declared.hash.equals(hash) &&
  declared.last_request === lastRequest

/**
 * Makes the record be what a custom resource declares: creates it, takes over an existing one, or edits it. Applying
 * the same again changes nothing, so it may be repeated after any fault.
 */
export async function applyResource(context: Context, declaration: Declaration): Promise<ApplyOutcome> {
  const outcome = await context.store.transaction((tx) => apply(tx, context, declaration))
  if (outcome.kind === 'applied' && outcome.change !== 'unchanged') context.wake()
  return outcome
}

async function apply(tx: Transaction, { secrets }: Context, declaration: Declaration): Promise<ApplyOutcome> {
  const { teamId, resource, state, spec } = declaration
  await lockResource(tx, resource)
  const target = await targetOf(tx, declaration)
  if (target.kind !== 'target') return target
  const { stored, lastRequest } = target
  const over = await overDeliveryCap(tx, teamId, spec)
  if (over) return over
  const monitor = stored ? await edit(tx, secrets, declaration, stored) : await create(tx, secrets, declaration)
  await saveDeclared(tx, monitor.no, resource, state)
  const { suspend } = declaration
  const settled = monitor.suspended === suspend ? monitor : await setSuspended(tx, monitor.no, suspend)
  const requested = await runRequested(tx, monitor.id, declaration, lastRequest)
  return { kind: 'applied', change: changeOf(stored, target.isDeclared, settled), monitor: settled, requested }
}

/** The record that a declaration is about. */
interface Target {
  readonly kind: 'target'
  /** Null: it is to be created. */
  readonly stored: MonitorRow | null
  /** The resource declared it before. */
  readonly isDeclared: boolean
  readonly lastRequest: string | null
}

async function targetOf(
  tx: Transaction,
  { teamId, resource, adopts }: Declaration,
): Promise<Target | NotAdoptable | OtherTeam> {
  const known = await lockDeclared(tx, resource)
  const isDeclared = known !== null && !known.is_released
  if (isDeclared && known.team_id !== teamId) return { kind: 'other_team' }
  // A record that was given back: the resource vanished and is back, with its cluster or the definition of its kind.
  const own = known?.team_id === teamId ? known.monitor_id : null
  const id = isDeclared ? own : (adopts ?? own)
  // The annotation is free text, and the store refuses what is no id.
  const stored = id === null || !isUuid(id) ? null : await lockMonitor(tx, teamId, id)
  const refused = isDeclared || id === null ? null : await notAdoptable(tx, stored)
  return refused ?? { kind: 'target', stored, isDeclared, lastRequest: known?.last_request ?? null }
}

function changeOf(before: MonitorRow | null, wasDeclared: boolean, now: MonitorRow): Applied['change'] {
  if (!before) return 'created'
  if (!wasDeclared) return 'adopted'
  return now === before ? 'unchanged' : 'updated'
}

/** Returns why a monitor that the annotation names cannot be taken over; null when it can. */
async function notAdoptable(tx: Transaction, stored: MonitorRow | null): Promise<NotAdoptable | null> {
  if (stored?.managed_by === 'api') return null
  const found = stored && (await resourceOf(tx, stored.no))
  const by = found && { clusterId: found.cluster_id, namespace: found.namespace, name: found.name }
  return { kind: 'not_adoptable', by }
}

/** Where the audit log says that an action comes from. */
const origin = ({ clusterId, namespace, name }: ResourceIdentity) => ({
  resource: `${namespace}/${name}`,
  cluster: clusterId,
})

function edit(tx: Transaction, secrets: SecretBox, declaration: Declaration, stored: MonitorRow): Promise<MonitorRow> {
  const { teamId, actor, resource } = declaration
  const before = monitorSpec(stored, secrets)
  // A manifest names no template; the record keeps its own.
  const spec = { ...declaration.spec, template_slug: before.template_slug }
  return changeSpec(tx, secrets, { teamId, actor, stored, before, spec, metadata: origin(resource) })
}

async function create(tx: Transaction, secrets: SecretBox, declaration: Declaration): Promise<MonitorRow> {
  const { teamId, actor, userId, spec, resource } = declaration
  const monitor = await insertMonitor(tx, secrets, { teamId, userId, spec })
  const target = { id: monitor.id, label: monitor.name }
  await recordAudit(tx, { teamId, actor, action: 'monitor.created', target, metadata: origin(resource) })
  return monitor
}

/** Follows the annotation that asks for a run: each new value of it causes one, or is refused, and is handled then. */
async function runRequested(
  tx: Transaction,
  id: string,
  { teamId, actor, state }: Declaration,
  lastRequest: string | null,
): Promise<RunOutcome | null> {
  if (state.lastRequest === null || state.lastRequest === lastRequest) return null
  return run(tx, { teamId, actor, id })
}

/** The end of a resource. */
interface ResourceEnd extends Pick<Requester, 'actor'> {
  readonly resource: ResourceIdentity
}

/** Deletes the record that a resource declares, because the resource was deleted. Without a record, nothing happens. */
export const deleteDeclared = (context: Pick<MonitorContext, 'store'>, end: ResourceEnd): Promise<void> =>
  endDeclared(context, end, { act: hideMonitor, action: 'monitor.deleted' })

/**
 * Gives the record that a resource declares back to the API: the resource vanished without having been deleted. The
 * monitor goes on.
 */
export const releaseResource = (context: Pick<MonitorContext, 'store'>, end: ResourceEnd): Promise<void> =>
  endDeclared(context, end, {
    act: releaseDeclared,
    action: 'monitor.updated',
    metadata: { changed: ['managed_by'] },
  })

/**
 * Gives all records that resources of a cluster declare back to the API, because the cluster is gone. Returns how many
 * there were. An operator that leads there all the same can write nothing more, starts anew, and takes them over again.
 */
export async function releaseCluster(context: Pick<MonitorContext, 'store'>, clusterId: string): Promise<number> {
  const records = await declaredRecords(context.store, clusterId)
  if (records.length > 0) await beginEpoch(context.store, clusterId)
  for (const { namespace, name } of records)
    await releaseResource(context, { actor: SYSTEM, resource: { clusterId, namespace, name } })
  return records.length
}

interface Ending extends Pick<AuditEntry, 'action' | 'metadata'> {
  readonly act: (tx: Transaction, no: number) => Promise<void>
}

async function endDeclared(
  { store }: Pick<MonitorContext, 'store'>,
  { actor, resource }: ResourceEnd,
  { act, action, metadata }: Ending,
): Promise<void> {
  await store.transaction(async (tx) => {
    const declared = await lockDeclared(tx, resource)
    if (!declared || declared.is_released) return
    await act(tx, declared.no)
    const target = { id: declared.monitor_id, label: null }
    const { team_id: teamId } = declared
    await recordAudit(tx, { teamId, actor, action, target, metadata: { ...origin(resource), ...metadata } })
  })
}
