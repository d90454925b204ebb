import { sql } from 'slonik'
import Type from 'typebox'
import type { FetchMethod } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { type ReadingRun, recordReadings } from './record-reading.ts'
import { keepSeenItems, type SeenField } from './seen-items.ts'

/** A region in a run's visual result. The values are names of images. */
export interface RegionImages {
  readonly label: string
  /** Changed area in percent. */
  readonly pct: number
  /** Null: there was no picture to compare with. */
  readonly before: string | null
  readonly after: string
  /** Null: nothing changed. */
  readonly diff: string | null
}

/** A region that the next run compares with. */
export interface BaselineRegion {
  readonly image: string
  /** SHA-256 of its PNG in base64url: the same bytes are not stored again. */
  readonly hash: string
  readonly width: number
  readonly height: number
}

/** The pictures of one run. */
export interface PictureSet {
  readonly thumb: string
  readonly regions: readonly BaselineRegion[]
}

/** Which layer made them. */
interface LayerPictures extends PictureSet {
  readonly layer: FetchMethod
}

/** The content of a row of visual_baselines. */
export interface VisualBaseline extends LayerPictures {
  /** The last pictures of another layer, whose page looks otherwise (worker/record/judge.ts). Null: there are none. */
  readonly other: LayerPictures | null
}

/** The visual result of a run, and the pictures that the next run compares with. */
export interface RunPictures<B = VisualBaseline> {
  readonly changePct: number
  readonly hasChanges: boolean
  readonly regions: readonly RegionImages[]
  readonly baseline: B
}

/** A finished check of a monitor with the visual layer. */
export interface PicturedRun extends ReadingRun {
  readonly team_id: string
  /** Null: no picture was taken or kept, as when the quota is used up. */
  readonly pictures: RunPictures | null
  /** A field with all that it has shown, where that is not kept already. */
  readonly seen: readonly SeenField[]
  /** There was no baseline before this run. Pictures that an earlier configuration left are not used. */
  readonly is_first: boolean
}

/**
 * Records readings with their visual results and the items that they have shown: run, baseline, outbox and references
 * to images in one transaction, so that either all of them exist or none. Returns the numbers that were recorded.
 * Throws when an image no longer exists.
 */
export async function recordPictured(on: Queryable, runs: readonly PicturedRun[]): Promise<ReadonlySet<number>> {
  return on.transaction(async (tx) => {
    const recorded = await recordReadings(tx, runs)
    const seen = runs.filter(({ no }) => recorded.has(no)).flatMap(seenOf)
    if (seen.length > 0) await keepSeenItems(tx, seen)
    for (const run of runs) {
      if (!recorded.has(run.no)) continue
      if (run.pictures) await insertPictures(tx, run, run.pictures)
      else if (run.is_first)
        await tx.query(sql.type(nothing)`delete from visual_baselines where no = ${run.no}::bigint`)
    }
    return recorded
  })
}

const seenOf = ({ no, team_id, seen }: PicturedRun) => seen.map((field) => ({ no, team_id, ...field }))

const counted = row({ count: Type.Integer() })
type Kept = Pick<PicturedRun, 'no' | 'run_id' | 'team_id'>

async function insertPictures(tx: Queryable, run: Kept, pictures: RunPictures): Promise<void> {
  const { changePct, hasChanges, regions, baseline } = pictures
  const shown = regions.flatMap(({ before, after, diff }) => [before, after, diff])
  const images = [...new Set([...shown, baseline.thumb].filter((id) => id !== null))]
  const { layer, other } = baseline
  const sets = other ? [baseline, other] : [baseline]
  const kept = [...new Set(sets.flatMap((set) => [...set.regions.map(({ image }) => image), set.thumb]))]
  const { count } = await tx.one(sql.type(counted)`
    with t as (
      update images set last_run_id = ${run.run_id}::uuid
      where id = any(${sql.array(images, 'uuid')}) and team_id = ${run.team_id}::uuid and not doomed
      returning 1
    )
    select count(*) from t
  `)
  if (count !== images.length) throw new Error('a picture of a run is about to be deleted')
  await tx.query(sql.type(nothing)`
    with shown as (
      insert into run_images (monitor_no, run_id, team_id, change_pct, has_changes, thumb_id, regions)
      values (
        ${run.no}::bigint, ${run.run_id}::uuid, ${run.team_id}::uuid, ${changePct}::float8, ${hasChanges},
        ${baseline.thumb}::uuid, ${JSON.stringify(regions)}::json)
    )
    insert into visual_baselines (no, team_id, layer, thumb_id, regions, other, image_ids)
    values (
      ${run.no}::bigint, ${run.team_id}::uuid, ${layer}::fetch_method, ${baseline.thumb}::uuid,
      ${JSON.stringify(baseline.regions)}::json, ${other && JSON.stringify(other)}::json, ${sql.array(kept, 'uuid')})
    on conflict (no) do update
    set layer = excluded.layer, thumb_id = excluded.thumb_id, regions = excluded.regions, other = excluded.other,
      image_ids = excluded.image_ids
  `)
}
