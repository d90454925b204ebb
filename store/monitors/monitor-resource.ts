import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { Manager } from '../../schema/monitor/labels.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, row, rowOf, unnest } from '../db/row.ts'
import type { KindTable } from './kinds/kind-table.ts'
import type { EveryRow } from './kinds/monitor-row.ts'

/** The name of a custom resource over all clusters that share the store. */
export interface ResourceIdentity {
  /** The uid of the cluster's namespace kube-system; of manifests in a folder, `FILES`. */
  readonly clusterId: string
  /** The kind of monitor that the resource declares. */
  readonly kind: MonitorKind
  readonly namespace: string
  readonly name: string
}

/** Stands for a cluster in the identity of manifests in the folder of `tidemark serve --config`. */
export const FILES = 'file'

/** Returns what a record that this resource declares is managed by. */
export const managerOf = ({ clusterId }: Pick<ResourceIdentity, 'clusterId'>): Exclude<Manager, 'api'> =>
  clusterId === FILES ? 'file' : 'kubernetes'

/** The state of a resource that was applied. */
export interface AppliedState {
  /** Another uid under the same name: the resource was deleted and created again. */
  readonly uid: string
  readonly generation: number
  /** A keyed hash of the configuration that was applied, with the values of its Secrets. */
  readonly hash: Buffer
  /** The value of the annotation that asked for a run last. Null: none did. */
  readonly lastRequest: string | null
  /** The file of a manifest in a folder. Resources of a cluster have none. */
  readonly file?: string
}

const DeclaredRow = Type.Object({
  no: Type.Integer(),
  monitor_id: Type.String(),
  team_id: Type.String(),
  kind: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  uid: Type.String(),
  generation: Type.Integer(),
  hash: Type.Unsafe<Buffer>({}),
  last_request: Type.Union([Type.String(), Type.Null()]),
})
/** A record that a custom resource declares. */
export type DeclaredRow = Static<typeof DeclaredRow>
const declaredRow = rowOf(DeclaredRow)

const COLUMNS = sql.fragment`
  r.no, m.id as monitor_id, m.team_id, r.kind, r.namespace, r.name, r.uid, r.generation, r.applied_hash as hash,
  r.last_request`
const FROM = sql.fragment`monitor_resources r join monitors m on m.no = r.no and m.deleted_at is null`

/** Returns the records that resources of a cluster declare. */
export async function declaredRecords(store: Queryable, clusterId: string): Promise<readonly DeclaredRow[]> {
  return store.any(
    sql.type(declaredRow)`select ${COLUMNS} from ${FROM} where r.cluster_id = ${clusterId} and m.managed_by <> 'api'`,
  )
}

const LockedRow = Type.Object({ ...DeclaredRow.properties, nth: Type.Integer(), is_released: Type.Boolean() })
const lockedRow = rowOf(LockedRow)

/** A locked record. */
export type LockedRow = Static<typeof LockedRow>

/**
 * Returns for each of these resources the record that it declares, locked against other edits, or null. `is_released`:
 * it was given back to the API when the resource vanished, and nothing else declares it since.
 */
export async function lockDeclared(
  tx: Transaction,
  all: readonly ResourceIdentity[],
): Promise<readonly (LockedRow | null)[]> {
  const found = await tx.any(sql.prepared('lock_declared', lockedRow)`
    select ${COLUMNS}, i.nth, m.managed_by = 'api' as is_released
    from ${FROM} join ${identities(all)} on ${IS_IDENTIFIED}
    order by r.no
    for update of m, r
  `)
  const byPlace = new Map(found.map((one) => [one.nth, one]))
  return all.map((_, nth) => byPlace.get(nth) ?? null)
}

const identities = (all: readonly ResourceIdentity[]) =>
  unnest(
    'i',
    all.map(({ clusterId, kind, namespace, name }, nth) => ({ nth, cluster_id: clusterId, kind, namespace, name })),
    { nth: 'int4', cluster_id: 'text', kind: 'text', namespace: 'text', name: 'text' },
  )
const IS_IDENTIFIED = sql.fragment`
  r.cluster_id = i.cluster_id and r.kind = i.kind and r.namespace = i.namespace and r.name = i.name`

/** Returns the record that a resource declares, or null; without a lock. */
export async function findDeclared(store: Queryable, of: ResourceIdentity): Promise<DeclaredRow | null> {
  return store.maybeOne(sql.prepared('find_declared', declaredRow)`
    select ${COLUMNS} from ${FROM}
    where ${identified(of)} and m.managed_by <> 'api'
  `)
}

/**
 * Serializes the work on each of these resources over all processes, until the end of the transaction: a record that
 * does not exist yet cannot be locked. The locks are taken in one order, so that two batches do not wait for each
 * other.
 */
export async function lockResources(tx: Transaction, all: readonly ResourceIdentity[]): Promise<void> {
  const texts = all.map(({ clusterId, kind, namespace, name }) => `tidemark ${clusterId}/${kind}/${namespace}/${name}`)
  await tx.query(sql.prepared('lock_resources', nothing)`
    select pg_advisory_xact_lock(key)
    from (
      select distinct hashtextextended(text, 0) as key from unnest(${sql.array(texts, 'text')}) text order by key
    ) keys
  `)
}

const identified = ({ clusterId, kind, namespace, name }: ResourceIdentity) => sql.fragment`
  r.cluster_id = ${clusterId} and r.kind = ${kind} and r.namespace = ${namespace} and r.name = ${name}`

/** Makes a resource the only writer of a record that had another one, or none. */
export async function takeOver(tx: Transaction, no: number, of: ResourceIdentity): Promise<void> {
  // A record that was given back to the API keeps the row of the resource that declared it before.
  await tx.query(sql.type(nothing)`
    with r as (delete from monitor_resources r where no = ${no} and not (${identified(of)}))
    update monitors set managed_by = ${managerOf(of)} where no = ${no} and managed_by <> ${managerOf(of)}
  `)
}

/** A record, and what was applied of the resource that declares it. */
interface Declared {
  readonly no: number
  readonly resource: ResourceIdentity
  readonly state: AppliedState
}

/** Writes down what was applied of resources that are the only writers of their records. */
export async function saveDeclared(tx: Transaction, all: readonly Declared[]): Promise<void> {
  if (all.length === 0) return
  const rows = all.map(({ no, resource, state }) => ({
    no,
    cluster_id: resource.clusterId,
    kind: resource.kind,
    namespace: resource.namespace,
    name: resource.name,
    uid: state.uid,
    generation: state.generation,
    hash: state.hash,
    last_request: state.lastRequest,
    file: state.file ?? null,
  }))
  await tx.query(sql.prepared('save_declared', nothing)`
    with i as materialized (select * from ${unnest('i', rows, DECLARED_COLUMNS)}),
    placed as (
      update monitors m set declared_in = i.file from i where m.no = i.no and m.declared_in is distinct from i.file
    )
    insert into monitor_resources (no, cluster_id, kind, namespace, name, uid, generation, applied_hash, last_request)
    select no, cluster_id, kind, namespace, name, uid, generation, hash, last_request from i
    -- A record that was deleted keeps its row until its name is used again.
    on conflict (cluster_id, kind, namespace, name) do update
    set no = excluded.no, uid = excluded.uid, generation = excluded.generation, applied_hash = excluded.applied_hash,
      last_request = excluded.last_request
  `)
}

const DECLARED_COLUMNS = {
  no: 'int8',
  cluster_id: 'text',
  kind: 'text',
  namespace: 'text',
  name: 'text',
  uid: 'text',
  generation: 'int8',
  hash: 'bytea',
  last_request: 'text',
  file: 'text',
} as const

/**
 * Gives a record back to the API: its resource is gone and did not delete it. A suspended one stays suspended until
 * somebody resumes it, so that nothing starts to run because its manifest vanished.
 */
export async function releaseDeclared(tx: Transaction, no: number): Promise<void> {
  await tx.query(sql.type(nothing)`update monitors set managed_by = 'api', declared_in = null where no = ${no}`)
}

const named = row({
  clusterId: Type.String(),
  kind: DeclaredRow.properties.kind,
  namespace: Type.String(),
  name: Type.String(),
})

/** Returns the resource that declares a record, or null. */
export async function resourceOf(tx: Queryable, no: number): Promise<ResourceIdentity | null> {
  return tx.maybeOne(sql.type(named)`
    select cluster_id as "clusterId", kind, namespace, name from monitor_resources where no = ${no}
  `)
}

const clusterRow = row({ cluster_id: Type.String(), monitors: Type.Integer() })

/** Returns the clusters whose resources declare records, and `FILES`, with the number of these. */
export async function declaringClusters(store: Queryable) {
  return store.any(sql.type(clusterRow)`
    select r.cluster_id, count(*) as monitors from ${FROM} where m.managed_by <> 'api'
    group by r.cluster_id order by monitors desc, r.cluster_id limit 100
  `)
}

/**
 * Suspends a monitor for its manifest, or ends that. A pause by a user is independent of that: the monitor is scheduled
 * only when neither holds, and then its next run is at once.
 */
export async function setSuspended(tx: Transaction, no: number, suspended: boolean): Promise<void> {
  await tx.query(sql.type(nothing)`
    with t as (select clock() as at),
    m as (update monitors set suspended = ${suspended} where no = ${no} returning *)
    update checks c
    set next_run_at = case when not m.suspended and not m.paused and not m.locked then t.at end,
      due_at = case
        when c.run_id is not null or c.queued_run_id is not null then c.due_at
        when not m.suspended and not m.paused and not m.locked then t.at end
    from t, m
    where c.no = m.no
  `)
}

/** Returns a page of the team's records that the API owns, in the order of their numbers. */
export async function mirroredRecords<Row extends EveryRow>(
  store: Queryable,
  teamId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
  { kind, columns, row: rowOfKind }: KindTable<unknown, Row>,
): Promise<readonly Row[]> {
  return store.any(sql.prepared(`mirrored_${kind}_records`, rowOfKind)`
    select ${columns}
    from monitors m join checks c on c.no = m.no
    where m.team_id = ${teamId}::uuid and m.kind = ${sql.literalValue(kind)} and m.deleted_at is null
      and m.managed_by = 'api'
      and m.no > ${after}
    order by m.no
    limit ${limit}
  `)
}
