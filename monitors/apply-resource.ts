import { isUuid } from '../core/is-uuid.ts'
import { type Requester, SYSTEM } from '../schema/account/audit.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { beginEpoch } from '../store/db/operator-epoch.ts'
import { hideMonitor } from '../store/monitors/monitor-delete.ts'
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
import { lockUsage } from '../store/quota/usage.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { MonitorContext } from './context.ts'
import type { OverCap } from './outcome.ts'
import { type MonitorRecord, recordKind, type RecordKind } from './record-kind.ts'
import type { RunOutcome } from './run-monitor.ts'

/** A custom resource and what it declares. */
interface Declaration extends Requester {
  readonly resource: ResourceIdentity
  readonly state: AppliedState
  /** The account that a new monitor is recorded under: the owner of the team. */
  readonly userId: string
  /** Checked by its kind, with the values of its Secrets. */
  readonly spec: unknown
  readonly suspend: boolean
  /** The monitor of the API that the resource takes over, where it declares none yet. */
  readonly adopts: string | null
}

/** The record declares what the resource says. */
interface Applied {
  readonly kind: 'applied'
  readonly change: 'created' | 'adopted' | 'updated' | 'unchanged'
  readonly monitor: MonitorRecord
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
  const kind = recordKind(resource.kind)
  const stored = await kind.find(store, teamId, declared.monitor_id)
  return stored !== null && stored.suspended === suspend && kind.isEqual(secrets, stored, spec)
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
  if (state.lastRequest !== null) await lockUsage(tx, teamId)
  await lockResource(tx, resource)
  const target = await targetOf(tx, declaration)
  if (target.kind !== 'target') return target
  const { stored, lastRequest } = target
  const kind = recordKind(resource.kind)
  const over = await kind.overCap(tx, teamId, spec)
  if (over) return over
  const monitor = await (stored ? edit(tx, secrets, declaration, stored) : create(tx, secrets, declaration))
  await saveDeclared(tx, monitor.no, resource, state)
  const { suspend } = declaration
  const isSettled = monitor.suspended === suspend
  if (!isSettled) await setSuspended(tx, monitor.no, suspend)
  const requested = await runRequested(tx, monitor.id, declaration, lastRequest)
  const isSame = monitor === stored && isSettled
  return { kind: 'applied', change: changeOf(stored, target.isDeclared, isSame), monitor, requested }
}

/** The record that a declaration is about. */
interface Target {
  readonly kind: 'target'
  /** Null: it is to be created. */
  readonly stored: MonitorRecord | null
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
  const stored = id === null || !isUuid(id) ? null : await recordKind(resource.kind).lock(tx, teamId, id)
  const refused = isDeclared || id === null ? null : await notAdoptable(tx, stored)
  return refused ?? { kind: 'target', stored, isDeclared, lastRequest: known?.last_request ?? null }
}

function changeOf(before: MonitorRecord | null, wasDeclared: boolean, isSame: boolean): Applied['change'] {
  if (!before) return 'created'
  if (!wasDeclared) return 'adopted'
  return isSame ? 'unchanged' : 'updated'
}

/** Returns why a monitor that the annotation names cannot be taken over; null when it can. */
async function notAdoptable(tx: Transaction, stored: MonitorRecord | null): Promise<NotAdoptable | null> {
  if (stored?.managed_by === 'api') return null
  return { kind: 'not_adoptable', by: stored && (await resourceOf(tx, stored.no)) }
}

/** Where the audit log says that an action comes from. */
const origin = ({ clusterId, namespace, name }: ResourceIdentity) => ({
  resource: `${namespace}/${name}`,
  cluster: clusterId,
})

function edit(
  tx: Transaction,
  secrets: SecretBox,
  { teamId, actor, resource, spec }: Declaration,
  stored: MonitorRecord,
): Promise<MonitorRecord> {
  const metadata = origin(resource)
  return recordKind(resource.kind).edit(tx, secrets, { teamId, actor, stored, spec, metadata })
}

async function create(tx: Transaction, secrets: SecretBox, declaration: Declaration): Promise<MonitorRecord> {
  const { teamId, actor, userId, spec, resource } = declaration
  const kind = recordKind(resource.kind)
  const monitor = await kind.insert(tx, secrets, { teamId, userId, spec })
  const target = { id: monitor.id, label: monitor.name }
  await recordAudit(tx, { teamId, actor, action: actionOf(kind, 'created'), target, metadata: origin(resource) })
  return monitor
}

const actionOf = <What extends 'created' | 'updated' | 'deleted'>({ audited }: RecordKind, what: What) =>
  `${audited}.${what}` as const

/** Follows the annotation that asks for a run: each new value of it causes one, or is refused, and is handled then. */
async function runRequested(
  tx: Transaction,
  id: string,
  { teamId, actor, state, resource }: Declaration,
  lastRequest: string | null,
): Promise<RunOutcome | null> {
  if (state.lastRequest === null || state.lastRequest === lastRequest) return null
  return recordKind(resource.kind).run(tx, { teamId, actor, id })
}

/** The end of a resource. */
interface ResourceEnd extends Pick<Requester, 'actor'> {
  readonly resource: ResourceIdentity
}

/** Deletes the record that a resource declares, because the resource was deleted. Without a record, nothing happens. */
export const deleteDeclared = (context: Pick<MonitorContext, 'store'>, end: ResourceEnd): Promise<void> =>
  endDeclared(context, end, { act: hideMonitor, what: 'deleted' })

/**
 * Gives the record that a resource declares back to the API: the resource vanished without having been deleted. The
 * monitor goes on.
 */
export const releaseResource = (context: Pick<MonitorContext, 'store'>, end: ResourceEnd): Promise<void> =>
  endDeclared(context, end, {
    act: releaseDeclared,
    what: 'updated',
    metadata: { changed: ['managed_by'] },
  })

/**
 * Gives all records that resources of a cluster declare back to the API, because the cluster is gone. Returns how many
 * there were. An operator that leads there all the same can write nothing more, starts anew, and takes them over again.
 */
export async function releaseCluster(context: Pick<MonitorContext, 'store'>, clusterId: string): Promise<number> {
  const records = await declaredRecords(context.store, clusterId)
  if (records.length > 0) await beginEpoch(context.store, clusterId)
  for (const { kind, namespace, name } of records)
    await releaseResource(context, { actor: SYSTEM, resource: { clusterId, kind, namespace, name } })
  return records.length
}

interface Ending extends Pick<AuditEntry, 'metadata'> {
  readonly what: 'updated' | 'deleted'
  readonly act: (tx: Transaction, no: number) => Promise<void>
}

async function endDeclared(
  { store }: Pick<MonitorContext, 'store'>,
  { actor, resource }: ResourceEnd,
  { act, what, metadata }: Ending,
): Promise<void> {
  await store.transaction(async (tx) => {
    const declared = await lockDeclared(tx, resource)
    if (!declared || declared.is_released) return
    await act(tx, declared.no)
    const target = { id: declared.monitor_id, label: null }
    const { team_id: teamId } = declared
    const action = actionOf(recordKind(resource.kind), what)
    await recordAudit(tx, { teamId, actor, action, target, metadata: { ...origin(resource), ...metadata } })
  })
}
