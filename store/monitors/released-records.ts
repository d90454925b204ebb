import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'

/** Records that one look returns at most. */
export const MAX_RELEASED = 1_000

const releasedRow = row({
  monitor_id: Type.String(),
  email: Type.String(),
  cluster_id: Type.String(),
  kind: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
})

const countRow = row({ count: Type.Integer() })

/** Returns how many records belong to the API since what declared them in this cluster, or folder, vanished. */
export const countReleased = (store: Queryable, clusterId: string): Promise<number> =>
  store.oneFirst(sql.type(countRow)`
    select count(*) from monitor_resources r join monitors m on m.no = r.no
    where r.cluster_id = ${clusterId} and m.deleted_at is null and m.managed_by = 'api'
  `)

/**
 * Returns the records that a resource of a cluster, or a manifest of a folder, declared, and that belong to the API
 * since it vanished: with the address of the team's owner, at most `MAX_RELEASED`. They go on until somebody deletes
 * them.
 */
export async function releasedRecords(store: Queryable) {
  return store.any(sql.type(releasedRow)`
    select m.id as monitor_id, u.email, r.cluster_id, r.kind, r.namespace, r.name
    from monitor_resources r
    join monitors m on m.no = r.no and m.deleted_at is null and m.managed_by = 'api'
    join teams t on t.id = m.team_id
    join auth.users u on u.id = t.owner_user_id
    order by r.cluster_id, r.namespace, r.name, r.kind
    limit ${MAX_RELEASED}
  `)
}
