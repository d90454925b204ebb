import { isUuid } from '../../core/is-uuid.ts'
import type { Invalid } from '../../core/outcome.ts'
import { type Requester, SYSTEM } from '../../schema/account/audit.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import { type AuditEntry, recordAudit, recordAudits } from '../../store/accounts/audit.ts'
import type { Transaction } from '../../store/db/client.ts'
import { beginEpoch } from '../../store/db/operator-epoch.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import { insertMonitors } from '../../store/monitors/monitor-create.ts'
import { hideMonitor } from '../../store/monitors/monitor-delete.ts'
import { lockMonitor } from '../../store/monitors/monitor-edit.ts'
import {
  type AppliedState,
  type DeclaredRow,
  findDeclared,
  lockDeclared,
  lockResources,
  type LockedRow,
  declaredRecords,
  managerOf,
  releaseDeclared,
  type ResourceIdentity,
  resourceOf,
  saveDeclared,
  setSuspended,
  takeOver,
} from '../../store/monitors/monitor-resource.ts'
import { findMonitor } from '../../store/monitors/monitors.ts'
import { lockStorage } from '../../store/quota/team-storage.ts'
import { lockUsage } from '../../store/quota/usage.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { unsentHeaderIssues } from '../check/unsent-headers.ts'
import { auditedAs, type MonitorContext } from '../context.ts'
import { changeSpec } from '../edit-monitor.ts'
import type { Kind } from '../kinds/kind.ts'
import { kindCalled } from '../kinds/kinds.ts'
import { notStored, overDeliveryCap, overDeliveryCaps, type OverCap, type OverStorage } from '../outcome.ts'
import { run, type RunOutcome } from '../run-monitor.ts'
import { declaredSpec } from './declared-spec.ts'
import { type IdentityTaken, identityTaken } from './identity-taken.ts'

/** A custom resource and what it declares. */
export interface Declaration extends Requester {
  readonly resource: ResourceIdentity
  readonly state: AppliedState
  /** The account that a new monitor is recorded under: the owner of the team. */
  readonly userId: string
  /** Checked by its kind, with the values of its Secrets. */
  readonly spec: EverySpec
  readonly suspend: boolean
  /** The monitor of the API that the resource takes over, where it declares none yet. */
  readonly adopts: string | null
}

/** The record declares what the resource says. */
interface Applied {
  readonly kind: 'applied'
  readonly change: 'created' | 'adopted' | 'updated' | 'unchanged'
  readonly monitor: EveryRow
  /** The result of asking for the run that the resource wants. Null: it asks for none, or it was asked for before. */
  readonly requested: RunOutcome | null
}

/** The record that the resource is to take over is unknown to its team, or declared by another resource. */
interface NotAdoptable {
  readonly kind: 'not_adoptable'
  /** The resource that declares it. Null: the team has no such record. */
  readonly by: ResourceIdentity | null
}

/** The resource is to take over a record, and declares another one already. */
interface DeclaresAnother {
  readonly kind: 'declares_another'
  readonly id: string
}

/** The resource declares a record of another team: its namespace belonged to that team before. */
interface OtherTeam {
  readonly kind: 'other_team'
}

export type ApplyOutcome =
  | Applied
  | IdentityTaken
  | Invalid
  | OverCap
  | OverStorage
  | NotAdoptable
  | DeclaresAnother
  | OtherTeam

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
  const kind = kindCalled(resource.kind)
  const stored = await findMonitor(store, teamId, declared.monitor_id, kind.table)
  if (stored === null || stored.suspended !== suspend) return false
  const before = kind.table.spec(stored, secrets)
  return kind.change(before, declaredSpec(kind, before, spec)).changed.length === 0
}

const isSameState = (declared: DeclaredRow, { uid, generation, hash, lastRequest }: AppliedState): boolean =>
  declared.uid === uid &&
  declared.generation === generation &&
  declared.hash.equals(hash) &&
  declared.last_request === lastRequest

/**
 * Makes each record be what its custom resource declares: creates it, takes over an existing one, or edits it. All of
 * them, or none. Applying the same again changes nothing, so it may be repeated after any fault. Records that are only
 * to be created take a few statements together. Returns the outcomes in the same order.
 *
 * @param declarations of different resources
 */
export async function applyResources(
  context: Context,
  declarations: readonly Declaration[],
): Promise<readonly ApplyOutcome[]> {
  const outcomes = await context.store.transaction((tx) => applyAll(tx, context, declarations))
  if (outcomes.some((outcome) => outcome.kind === 'applied' && outcome.change !== 'unchanged')) context.wake()
  return outcomes
}

async function applyAll(
  tx: Transaction,
  { secrets }: Context,
  declarations: readonly Declaration[],
): Promise<readonly ApplyOutcome[]> {
  const asking = declarations.filter(({ state }) => state.lastRequest !== null).map(({ teamId }) => teamId)
  for (const teamId of [...new Set(asking)].toSorted()) await lockUsage(tx, teamId)
  const resources = declarations.map(({ resource }) => resource)
  await lockResources(tx, resources)
  const known = await lockDeclared(tx, resources)
  const outcomes = new Map<Declaration, ApplyOutcome>()
  const fresh: Creation[] = []
  await lockRoom(tx, declarations)
  for (const [index, declaration] of declarations.entries()) {
    const target = await targetOf(tx, declaration, known[index] ?? null)
    const taken = target.kind === 'target' ? await identityTaken(tx, declaration, target.stored) : null
    if (target.kind !== 'target') outcomes.set(declaration, target)
    else if (taken) outcomes.set(declaration, taken)
    else if (isThere(target)) outcomes.set(declaration, await edit(tx, secrets, declaration, target))
    else fresh.push({ declaration, lastRequest: target.lastRequest })
  }
  const ofKinds = Map.groupBy(fresh, ({ declaration }) => declaration.resource.kind)
  for (const [kind, creations] of ofKinds)
    for (const [declaration, outcome] of await createAll(tx, secrets, kindCalled(kind), creations))
      outcomes.set(declaration, outcome)
  return declarations.map((declaration) => {
    const outcome = outcomes.get(declaration)
    if (!outcome) throw new Error('each declaration has an outcome')
    return outcome
  })
}

/** Locks what the teams store, after the monitors that are to be taken over, as an edit does (`lockStorage`). */
async function lockRoom(tx: Transaction, declarations: readonly Declaration[]): Promise<void> {
  for (const { teamId, resource, adopts } of declarations)
    if (adopts !== null && isUuid(adopts)) await lockMonitor(tx, teamId, adopts, kindCalled(resource.kind).table)
  await lockStorage(tx, [...new Set(declarations.map(({ teamId }) => teamId))])
}

/** A resource whose record is to be created. */
interface Creation {
  readonly declaration: Declaration
  readonly lastRequest: string | null
}

async function createAll(
  tx: Transaction,
  secrets: SecretBox,
  kind: Kind,
  creations: readonly Creation[],
): Promise<ReadonlyMap<Declaration, ApplyOutcome>> {
  const outcomes = new Map<Declaration, ApplyOutcome>()
  const ofTeams = Map.groupBy(creations, ({ declaration }) => declaration.teamId)
  for (const [teamId, ofTeam] of ofTeams) {
    const specs = ofTeam.map(({ declaration }) => declaration.spec)
    for (const [index, over] of (await overDeliveryCaps(tx, teamId, specs)).entries()) {
      const creation = ofTeam[index]
      if (over && creation) outcomes.set(creation.declaration, over)
    }
  }
  for (const { declaration } of creations) {
    const invalid = unsent(declaration)
    if (invalid) outcomes.set(declaration, invalid)
  }
  const allowed = creations.filter(({ declaration }) => !outcomes.has(declaration))
  if (allowed.length === 0) return outcomes
  const records = allowed.map(({ declaration: { teamId, userId, resource, spec, suspend } }) => ({
    teamId,
    userId,
    spec,
    declared: { by: managerOf(resource), suspended: suspend },
  }))
  const monitors = await insertMonitors(tx, secrets, kind.table, records)
  const made: (Creation & { readonly monitor: EveryRow })[] = []
  for (const [index, creation] of allowed.entries()) {
    const monitor = monitors[index]
    if (monitor) made.push({ ...creation, monitor })
    else outcomes.set(creation.declaration, await noRoom(tx, creation.declaration))
  }
  await recordAudits(
    tx,
    made.map(({ monitor: { id, name }, declaration: { teamId, actor, resource } }) => ({
      teamId,
      actor,
      action: auditedAs(kind, 'created'),
      target: { id, label: name },
      metadata: origin(resource),
    })),
  )
  await saveDeclared(
    tx,
    made.map(({ monitor: { no }, declaration: { resource, state } }) => ({ no, resource, state })),
  )
  for (const { declaration, lastRequest, monitor } of made) {
    const requested = await runRequested(tx, monitor.id, declaration, lastRequest)
    outcomes.set(declaration, { kind: 'applied', change: 'created', monitor, requested })
  }
  return outcomes
}

/** Returns why destinations cannot be saved: they have headers that are never sent. Those stored before are kept. */
function unsent({ spec }: Declaration): Invalid | null {
  const issues = unsentHeaderIssues(spec.deliveries)
  return issues.length > 0 ? { kind: 'invalid', issues } : null
}

async function noRoom(tx: Transaction, { teamId }: Declaration): Promise<OverStorage> {
  const why = await notStored(tx, teamId)
  if (why.kind === 'not_found') throw new Error(`there is no team ${teamId}`)
  return why
}

/** The record that a declaration is about. */
interface Target {
  readonly kind: 'target'
  /** Null: it is to be created. */
  readonly stored: EveryRow | null
  /** The resource declared it before. */
  readonly isDeclared: boolean
  readonly lastRequest: string | null
}

const isThere = (target: Target): target is Target & { readonly stored: EveryRow } => target.stored !== null

async function targetOf(
  tx: Transaction,
  declaration: Declaration,
  known: LockedRow | null,
): Promise<Target | NotAdoptable | DeclaresAnother | OtherTeam> {
  if (known === null || known.is_released) return undeclaredTarget(tx, declaration, known)
  const { teamId, resource, adopts } = declaration
  const { team_id: ownTeam, monitor_id: id, last_request: lastRequest } = known
  if (ownTeam !== teamId) return { kind: 'other_team' }
  if (adopts !== null && adopts.toLowerCase() !== id) return { kind: 'declares_another', id }
  const stored = await lockMonitor(tx, teamId, id, kindCalled(resource.kind).table)
  return { kind: 'target', stored, isDeclared: true, lastRequest }
}

/**
 * Returns what a resource without a record is about. `released`: the record that it had, and that was given back. It
 * vanished and is back, with its cluster or the definition of its kind.
 */
async function undeclaredTarget(
  tx: Transaction,
  { teamId, resource, adopts }: Declaration,
  released: LockedRow | null,
): Promise<Target | NotAdoptable> {
  const id = adopts ?? (released?.team_id === teamId ? released.monitor_id : null)
  const target = { kind: 'target', isDeclared: false, lastRequest: released?.last_request ?? null } as const
  if (id === null) return { ...target, stored: null }
  // The annotation is free text, and the store refuses what is no id.
  const stored = isUuid(id) ? await lockMonitor(tx, teamId, id, kindCalled(resource.kind).table) : null
  return (await notAdoptable(tx, stored)) ?? { ...target, stored }
}

/** Returns why a monitor that the annotation names cannot be taken over; null when it can. */
async function notAdoptable(tx: Transaction, stored: EveryRow | null): Promise<NotAdoptable | null> {
  if (stored?.managed_by === 'api') return null
  return { kind: 'not_adoptable', by: stored && (await resourceOf(tx, stored.no)) }
}

/** Where the audit log says that an action comes from. */
const origin = ({ clusterId, namespace, name }: ResourceIdentity) => ({
  resource: `${namespace}/${name}`,
  cluster: clusterId,
})

/** Makes an existing record be what its resource declares. */
async function edit(
  tx: Transaction,
  secrets: SecretBox,
  declaration: Declaration,
  { stored, isDeclared, lastRequest }: Target & { readonly stored: EveryRow },
): Promise<ApplyOutcome> {
  const { teamId, actor, resource, state, spec, suspend } = declaration
  const kind = kindCalled(resource.kind)
  const over = await overDeliveryCap(tx, teamId, spec)
  if (over) return over
  const before = kind.table.spec(stored, secrets)
  const declared = declaredSpec(kind, before, spec)
  const isSaved = kind.change(before, declared).changed.includes('deliveries')
  const invalid = isSaved ? unsent(declaration) : null
  if (invalid) return invalid
  const edition = { teamId, actor, stored, spec: declared, metadata: origin(resource) }
  const monitor = await changeSpec(tx, secrets, kind, edition)
  if (monitor === null) return noRoom(tx, declaration)
  if (!isDeclared) await takeOver(tx, monitor.no, resource)
  await saveDeclared(tx, [{ no: monitor.no, resource, state }])
  const isSettled = monitor.suspended === suspend
  if (!isSettled) await setSuspended(tx, monitor.no, suspend)
  const requested = await runRequested(tx, monitor.id, declaration, lastRequest)
  const isSame = monitor === stored && isSettled
  const change = isDeclared ? (isSame ? 'unchanged' : 'updated') : 'adopted'
  return { kind: 'applied', change, monitor, requested }
}

/** Follows the annotation that asks for a run: each new value of it causes one, or is refused, and is handled then. */
async function runRequested(
  tx: Transaction,
  id: string,
  { teamId, actor, state, resource }: Declaration,
  lastRequest: string | null,
): Promise<RunOutcome | null> {
  if (state.lastRequest === null || state.lastRequest === lastRequest) return null
  return run(tx, kindCalled(resource.kind), { teamId, actor, id })
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
    const found = await findDeclared(tx, resource)
    if (!found) return
    // Before the monitor: a run that is queued is given back.
    if (what === 'deleted') await lockUsage(tx, found.team_id)
    const [declared] = await lockDeclared(tx, [resource])
    if (!declared || declared.is_released) return
    await act(tx, declared.no)
    const target = { id: declared.monitor_id, label: null }
    const { team_id: teamId } = declared
    const action = auditedAs(kindCalled(resource.kind), what)
    await recordAudit(tx, { teamId, actor, action, target, metadata: { ...origin(resource), ...metadata } })
  })
}
