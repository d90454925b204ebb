import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store } from '../db/client.ts'
import { imageName } from './images.ts'
import { CUTOFF } from '../quota/plan-limits.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { nothing, row } from '../db/row.ts'

/** How much was deleted. */
export interface Swept {
  readonly runs: number
  readonly images: number
}

interface Sweep {
  readonly store: Store
  readonly objects: ObjectStore
  readonly signal: AbortSignal
  /**
   * A picture whose run is not recorded is let be for so long: its run may be about to be. Default an hour, far longer
   * than any lease.
   */
  readonly graceSeconds?: number
}

/** Rows a statement deletes at most. */
const BATCH = 500

const counted = row({ count: Type.Integer() })
const doomed = row({ id: Type.String(), team_id: Type.String() })
const locked = row({ got: Type.Boolean() })

/**
 * Deletes what retention hides of pictures, and what belongs to no run: references first, then the objects to which
 * none is left, then their rows. Stops between batches when the signal says so. A no-op while another process is at it.
 * Throws when the object store is away: the rest is for the next sweep.
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

/** Of monitors that are deleted or have no visual layer any more: their next picture, if one comes, is a first one. */
const forgetBaselines = (connection: Queryable) =>
  connection.query(sql.type(nothing)`
    delete from visual_baselines v using monitors m join checks c on c.no = m.no
    where m.no = v.no and (m.deleted_at is not null or c.queue <> 'visual')
  `)

/**
 * Marks what nothing refers to. A record that takes an image up at the same moment moves its last_run_id first, and the
 * row is looked at again then; or comes second, finds it doomed, and is not written.
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
