import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { runIdMonitor } from '../../core/run-id.ts'
import type { Queryable } from '../db/client.ts'
import { row, rowOf } from '../db/row.ts'
import { isMonitor } from '../monitors/is-monitor.ts'
import type { RegionImages } from '../queue/record-pictured.ts'
import { retentionCutoff } from '../quota/pool.ts'

const RunImagesRow = Type.Object({
  run_id: Type.String(),
  /** The run's start_offset_ms in `runs`: milliseconds after the time of its id. */
  start_offset_ms: Type.Integer(),
  change_pct: Type.Number(),
  has_changes: Type.Boolean(),
  thumb_id: Type.String(),
  regions: Type.Unsafe<readonly RegionImages[]>({}),
  /** Current time by the store's clock, in ms since the epoch. The expiry of signed addresses is computed from it. */
  now_ms: Type.Number(),
})
type RunImagesRow = Static<typeof RunImagesRow>
const runImages = rowOf(RunImagesRow)

const COLUMNS = sql.fragment`v.run_id, r.start_offset_ms, v.change_pct, v.has_changes, v.thumb_id, v.regions,
  (extract(epoch from clock()) * 1000)::float8 as now_ms`

/**
 * Returns the visual result of a run of the team. Null: the run has none, retention hides it, or it belongs to another
 * team.
 */
export async function findRunImages(
  store: Queryable,
  { teamId, no, runId }: { readonly teamId: string; readonly no: number; readonly runId: string },
): Promise<RunImagesRow | null> {
  return store.maybeOne(sql.prepared('find_run_images', runImages)`
    select ${COLUMNS}
    from run_images v join runs r on r.monitor_no = v.monitor_no and r.id = v.run_id
    where v.monitor_no = ${no}::bigint and v.run_id = ${runId}::uuid and v.team_id = ${teamId}::uuid
      and v.run_id >= run_id_floor(${retentionCutoff(teamId)})
  `)
}

const known = row({ no: Type.Integer() })

/** Returns the newest runs of a monitor that have a visual result; null when there is no such monitor. */
export async function listRunImages(
  store: Queryable,
  { teamId, monitorId, limit }: { readonly teamId: string; readonly monitorId: string; readonly limit: number },
): Promise<readonly RunImagesRow[] | null> {
  const no = await store.maybeOneFirst(sql.prepared('monitor_of_images', known)`
    select m.no from monitors m where ${isMonitor(teamId, monitorId, 'page')}
  `)
  if (no === null) return null
  return store.any(sql.prepared('list_run_images', runImages)`
    select ${COLUMNS}
    from run_images v join runs r on r.monitor_no = v.monitor_no and r.id = v.run_id
    where v.monitor_no = ${no}::bigint and v.run_id >= run_id_floor(${retentionCutoff(teamId)})
    order by v.run_id desc
    limit ${limit}
  `)
}

const Thumb = Type.Object({ team_id: Type.String(), thumb_id: Type.String(), now_ms: Type.Number() })
/** The thumbnail of a run, and the time by the store's clock. */
export type Thumb = Static<typeof Thumb>
const thumbs = rowOf(Thumb)

/** Returns the thumbnail of a run; null when the run has no pictures. The run id is our own, from a stored payload. */
export const findThumb = (store: Queryable, runId: string): Promise<Thumb | null> =>
  store.maybeOne(sql.prepared('find_thumb', thumbs)`
    select team_id, thumb_id, (extract(epoch from clock()) * 1000)::float8 as now_ms
    from run_images where monitor_no = ${runIdMonitor(runId)}::bigint and run_id = ${runId}::uuid
  `)
