import type { Invalid, NotFound } from '../core/outcome.ts'
import type { Tier } from '../schema/account/plan.ts'
import type { Manager } from '../schema/monitor/labels.ts'
import type { MonitorSpec } from '../schema/monitor/monitor.ts'
import { type MonitorKind, resourceKindOf } from '../schema/resource-kind.ts'
import type { Queryable, Transaction } from '../store/db/client.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { resourceOf } from '../store/monitors/monitor-resource.ts'
import type { UsedUp } from '../store/monitors/monitor-run-now.ts'
import { lockExternalKey } from '../store/monitors/monitors.ts'
import { areRunnerPodsStarted } from '../store/queue/isolated-checks.ts'
import { findDeliveryCap } from '../store/quota/pool.ts'
import { findStorage } from '../store/quota/team-storage.ts'

/** The action succeeded; this is the monitor now. */
export interface DoneMonitor<Row extends EveryRow = EveryRow> {
  readonly kind: 'done'
  readonly monitor: Row
}

/** Another writer owns the record. It can be changed and deleted only there. */
export interface Managed {
  readonly kind: 'managed'
  readonly by: Exclude<Manager, 'api'>
  /** The name of the monitor. */
  readonly name: string
  /** The resource, as `namespace/name`; null when it is not known. */
  readonly resource: string | null
  /** The kind of the resource, where it is known. */
  readonly resourceKind?: string
  /** The file of a manifest in a folder. */
  readonly file?: string
  /** What the resource does not allow: any change, or a resume while it suspends the monitor. */
  readonly act: 'change' | 'resume'
}

/** Another record of the kind has the external key. */
export interface KeyTaken {
  readonly kind: 'key_taken'
  readonly externalKey: string
  readonly id: string
  readonly name: string
}

/** Billing has locked the monitor, or all of a team whose trial has ended. Only a change of plan unlocks it. */
export interface Locked {
  readonly kind: 'locked'
  readonly act: 'pause' | 'resume' | 'run' | 'preview' | 'look'
}

/** The plan allows fewer deliveries per monitor. */
export interface OverCap {
  readonly kind: 'over_cap'
  readonly tier: Tier
  readonly cap: number
  /** How many deliveries the monitor would have. */
  readonly wanted: number
}

/** The team's configurations take all that its plan allows. Nothing was stored. */
export interface OverStorage {
  readonly kind: 'over_storage'
  readonly tier: Tier
  /** Bytes that the stored configurations take. */
  readonly used: number
  readonly limit: number
}

/** Returns the sentences that say so, and what to do. */
export const overStorageText = ({ tier, used, limit }: Omit<OverStorage, 'kind'>): string =>
  `The plan ${tier} stores ${limit} bytes of configurations, of which ${used} are used; this one does not fit. Make ` +
  'configurations smaller, delete monitors, or choose a larger limit (docs/reference/usage-and-plans.md).'

/** The team has no runs and no credits left. */
export interface OutOfRuns {
  readonly kind: 'used_up'
  readonly quota: UsedUp
  /** How many runs are needed: one, or one for each page of a search. */
  readonly needs: number
}

/** The client has closed the request, so the work was ended. */
export interface Left {
  readonly kind: 'left'
}

export const NO_MONITOR: NotFound = { kind: 'not_found', what: 'monitor' }

/** Returns the refusal of a change to a record that a manifest owns, or null. A record has only one writer. */
export async function managedElsewhere(
  tx: Queryable,
  { managed_by, declared_in: file, name, no }: Pick<EveryRow, 'managed_by' | 'declared_in' | 'name' | 'no'>,
  act: Managed['act'] = 'change',
): Promise<Managed | null> {
  if (managed_by === 'api') return null
  const found = await resourceOf(tx, no)
  const managed = { kind: 'managed', by: managed_by, name, act, ...(file !== null && { file }) } as const
  if (!found) return { ...managed, resource: null }
  return { ...managed, resource: `${found.namespace}/${found.name}`, resourceKind: resourceKindOf(found.kind).kind }
}

/**
 * Returns the refusal of an external key that another record of the team and the kind has, or null. Until the end of
 * the transaction nobody else takes the key.
 */
export async function externalKeyTaken(
  tx: Transaction,
  teamId: string,
  kind: MonitorKind,
  { id, externalKey }: { readonly id?: string; readonly externalKey: string | null },
): Promise<KeyTaken | null> {
  if (externalKey === null) return null
  const holder = await lockExternalKey(tx, teamId, kind, externalKey)
  return holder === null || holder.id === id ? null : { kind: 'key_taken', externalKey, ...holder }
}

/** Returns the refusal of a monitor with more deliveries than the team's plan allows, or null. */
export async function overDeliveryCap(
  store: Queryable,
  teamId: string,
  spec: Pick<MonitorSpec, 'deliveries'>,
): Promise<OverCap | null> {
  const [over = null] = await overDeliveryCaps(store, teamId, [spec])
  return over
}

/** Returns the same for each of several monitors of a team. */
export async function overDeliveryCaps(
  store: Queryable,
  teamId: string,
  specs: readonly Pick<MonitorSpec, 'deliveries'>[],
): Promise<readonly (OverCap | null)[]> {
  if (specs.every(({ deliveries }) => deliveries.length === 0)) return specs.map(() => null)
  const { tier, deliveries: cap } = await findDeliveryCap(store, teamId)
  return specs.map(({ deliveries: { length: wanted } }) =>
    wanted <= cap ? null : { kind: 'over_cap', tier, cap, wanted },
  )
}

/**
 * Returns why the store took no configuration of the team: there is no room for it, or no such team any more. The
 * transaction that was refused still holds the figures.
 */
export async function notStored(tx: Queryable, teamId: string): Promise<OverStorage | NotFound> {
  const found = await findStorage(tx, teamId)
  if (found === null) return { kind: 'not_found', what: 'team' }
  const { tier, used, limit } = found
  if (limit === null) throw new Error(`the plan ${tier} has no limit of configurations, and one was refused by it`)
  return { kind: 'over_storage', tier, used, limit }
}

/** Returns why a configuration cannot be stored that asks for its own pods: nobody would start them. */
export async function isolationRefused(
  tx: Pick<Transaction, 'oneFirst'>,
  { isolation }: Partial<Pick<MonitorSpec, 'isolation'>>,
): Promise<Invalid | null> {
  if (isolation !== 'pod' || (await areRunnerPodsStarted(tx))) return null
  const message =
    'can be pod only where an operator starts runner pods, and none has in the last two minutes; see docs/runners.md'
  return { kind: 'invalid', issues: [{ path: 'isolation', message }] }
}
