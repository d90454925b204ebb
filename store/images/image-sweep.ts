import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { CUTOFF } from '../quota/pool.ts'
import { imageName } from './images.ts'

/** Numbers of deleted rows and objects. */
export interface Swept {
  readonly runs: number
  readonly images: number
}

interface Sweep {
  readonly store: Store
  readonly objects: ObjectStore
  readonly signal: AbortSignal
  /**
   * A picture whose run is not recorded is kept for this long, because its run may be recorded soon. Default: an hour,
   * far longer than any lease.
   */
  readonly graceSeconds?: number
}

/** Largest number of rows that one statement deletes. */
const BATCH = 500

const counted = row({ count: Type.Integer() })
const doomed = row({ id: Type.String(), team_id: Type.String() })
const locked = row({ got: Type.Boolean() })

/**
 * Deletes pictures that retention hides, and pictures that belong to no run: first references, then objects without
 * references, then their rows. Stops between batches when the signal is aborted. Does nothing while another process
 * runs it. Throws when the object store is unavailable: the next sweep does the rest.
 */
export async function sweepImages({ store, objects, signal, graceSeconds = 3600 }: Sweep): Promise<Swept> {
  return store.connect(async (connection) => {
    const lock = sql.type(locked)`select pg_try_advisory_lock(hashtext('tidemark.images')) as got`
    if (!(await connection.oneFirst(lock))) return { runs: 0, images: 0 }
    try {
      const runs = await inBatches(signal, () => forgetRuns(connection))
      await forgetBaselines(connection)
      await inBatches(signal, () => doom(connection, graceSeconds))
      return { runs, images: await inBatches(signal, () => deleteDoomed(connection, objects, signal)) }
    } finally {
      await connection.query(sql.type(nothing)`select pg_advisory_unlock(hashtext('tidemark.images'))`)
    }
  })
}

async function inBatches(signal: AbortSignal, some: () => Promise<number>): Promise<number> {
  for (let all = 0; ;) {
    const count = await some()
    all += count
    if (count < BATCH || signal.aborted) return all
  }
}

const WINDOW = sql.fragment`run_id_floor(${CUTOFF})`

const forgetRuns = (connection: Queryable): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with old as (
      select v.monitor_no, v.run_id
      from teams t cross join lateral team_limits(t.id) l cross join lateral (
        select monitor_no, run_id from run_images v where v.team_id = t.id and v.run_id < ${WINDOW} limit ${BATCH}
      ) v
      limit ${BATCH}
    ),
    gone as (delete from run_images v using old o where v.monitor_no = o.monitor_no and v.run_id = o.run_id returning 1)
    select count(*) from gone
  `)

/**
 * Deletes the baselines of monitors that are deleted or no longer have a visual layer. If such a monitor gets another
 * picture, it is treated as the first one.
 */
const forgetBaselines = (connection: Queryable) =>
  connection.query(sql.type(nothing)`
    delete from visual_baselines v using monitors m join checks c on c.no = m.no
    where m.no = v.no and (m.deleted_at is not null or c.queue <> 'visual')
  `)

/**
 * Marks images without references. A record that uses an image at the same moment either moves its last_run_id first,
 * and then this statement reads the row again; or it comes second, finds the image doomed, and is not written.
 */
const doom = (connection: Queryable, graceSeconds: number): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with unused as (
      select i.id from images i
      where i.last_run_id is null and not i.doomed and i.created_at < clock() - make_interval(secs => ${graceSeconds})
      union all
      select i.id
      from teams t cross join lateral team_limits(t.id) l cross join lateral (
        select id from images i
        where i.team_id = t.id and not i.doomed and i.last_run_id < ${WINDOW}
          and not exists (select from visual_baselines v where v.no = i.monitor_no and i.id = any(v.image_ids))
          and not exists (select from run_images v where v.monitor_no = i.monitor_no and v.run_id <= i.last_run_id)
        limit ${BATCH}
      ) i
      limit ${BATCH}
    ),
    marked as (
      update images i set doomed = true
      from unused u, teams t cross join lateral team_limits(t.id) l
      where i.id = u.id and t.id = i.team_id and not i.doomed and (i.last_run_id is null or i.last_run_id < ${WINDOW})
      returning 1
    )
    select count(*) from marked
  `)

async function deleteDoomed(connection: Queryable, objects: ObjectStore, signal: AbortSignal): Promise<number> {
  const images = await connection.any(
    sql.type(doomed)`select id, team_id from images where doomed order by id limit ${BATCH}`,
  )
  const gone: string[] = []
  for (const { id, team_id } of images) {
    if (signal.aborted) break
    await objects.remove(imageName(team_id, id))
    gone.push(id)
  }
  await connection.query(sql.type(nothing)`delete from images where id = any(${sql.array(gone, 'uuid')}) and doomed`)
  return gone.length
}
