import { isUuid } from '../core/is-uuid.ts'
import type { Requester } from '../schema/account/audit.ts'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { insertMonitor } from '../store/monitors/monitor-create.ts'
import { hideMonitor } from '../store/monitors/monitor-delete.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { type MonitorRow, monitorSpec } from '../store/monitors/monitor-record.ts'
import {
  type AppliedState,
  lockDeclared,
  lockResource,
  releaseDeclared,
  type ResourceIdentity,
  saveDeclared,
  setSuspended,
} from '../store/monitors/monitor-resource.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { MonitorContext } from './context.ts'
import { changeSpec } from './edit-monitor.ts'
import { overDeliveryCap, type OverCap } from './outcome.ts'
import { run } from './run-monitor.ts'

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
}

/** The record that the resource is to take over is unknown to its team, or declared by another resource. */
interface NotAdoptable {
  readonly kind: 'not_adoptable'
  readonly why: 'unknown' | 'managed'
}

/** The resource declares a record of another team: its namespace belonged to that team before. */
interface OtherTeam {
  readonly kind: 'other_team'
}

type ApplyOutcome = Applied | OverCap | NotAdoptable | OtherTeam

type Context = Pick<MonitorContext, 'store' | 'secrets' | 'wake'>

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
  const { teamId, resource, state, spec, adopts } = declaration
  await lockResource(tx, resource)
  const declared = await lockDeclared(tx, resource, state.uid)
  if (declared && declared.team_id !== teamId) return { kind: 'other_team' }
  const id = declared?.monitor_id ?? adopts
  // The annotation is free text, and the store refuses what is no id.
  const stored = id === null || !isUuid(id) ? null : await lockMonitor(tx, teamId, id)
  const refused = declared || id === null ? null : notAdoptable(stored)
  if (refused) return refused
  const over = await overDeliveryCap(tx, teamId, spec)
  if (over) return over
  const monitor = stored ? await edit(tx, secrets, declaration, stored) : await create(tx, secrets, declaration)
  await saveDeclared(tx, monitor.no, resource, state)
  const settled = await suspendOrRun(tx, monitor, declaration, declared?.last_request ?? null)
  return { kind: 'applied', change: changeOf(stored, declared !== null, settled), monitor: settled }
}

function changeOf(before: MonitorRow | null, wasDeclared: boolean, now: MonitorRow): Applied['change'] {
  if (!before) return 'created'
  if (!wasDeclared) return 'adopted'
  return now === before ? 'unchanged' : 'updated'
}

/** Returns why a monitor that the annotation names cannot be taken over; null when it can. */
function notAdoptable(stored: MonitorRow | null): NotAdoptable | null {
  if (!stored) return { kind: 'not_adoptable', why: 'unknown' }
  return stored.managed_by === 'api' ? null : { kind: 'not_adoptable', why: 'managed' }
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

/** Follows `suspend`, and the annotation that asks for a run: each new value of it causes one. */
async function suspendOrRun(
  tx: Transaction,
  monitor: MonitorRow,
  { teamId, actor, suspend, state }: Declaration,
  lastRequest: string | null,
): Promise<MonitorRow> {
  const settled = monitor.suspended === suspend ? monitor : await setSuspended(tx, monitor.no, suspend)
  if (state.lastRequest !== null && state.lastRequest !== lastRequest) await run(tx, { teamId, actor, id: monitor.id })
  return settled
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
    if (!declared) return
    await act(tx, declared.no)
    const target = { id: declared.monitor_id, label: null }
    const { team_id: teamId } = declared
    await recordAudit(tx, { teamId, actor, action, target, metadata: { ...origin(resource), ...metadata } })
  })
}
