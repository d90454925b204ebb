import { randomUUID } from 'node:crypto'
import type { BaselineRegion, PictureSet, RegionImages, RunPictures } from '../../store/queue/record-pictured.ts'
import type { Compared } from './compare.ts'

/** An object to be written to the object store. */
interface Fresh {
  readonly id: string
  readonly png: Uint8Array
}

/** A region after its pictures were compared. */
export interface Drawn {
  readonly images: RegionImages
  readonly next: BaselineRegion
  readonly changed: number
  readonly area: number
  /** The thumbnail of the region, if one was made. */
  readonly thumb: Fresh | null
  /** Objects to be stored, including the thumbnail. */
  readonly fresh: readonly Fresh[]
}

/** All regions of a run. */
export interface Seen {
  readonly drawn: readonly Drawn[]
  /** The thumbnail of the previous run. */
  readonly thumb: string | null
}

/** A region whose picture has not changed: it refers to the stored object. */
export function drawnOf(label: string, last: BaselineRegion): Drawn {
  const images = { label, pct: 0, before: last.image, after: last.image, diff: null }
  return { images, next: last, changed: 0, area: last.width * last.height, thumb: null, fresh: [] }
}

interface Shown {
  readonly png: Uint8Array
  readonly hash: string
  /** The picture that it was compared with; null: it was not compared. */
  readonly last: BaselineRegion | null
  readonly compared: Compared
}

/** A region with a new picture. */
export function drawn(label: string, { png, hash, last, compared }: Shown): Drawn {
  const { width, height, changed, area } = compared
  const after = fresh(png)
  const diff = compared.overlay && fresh(compared.overlay)
  const thumb = compared.thumb && fresh(compared.thumb)
  return {
    images: {
      label,
      pct: percent(changed, area),
      before: last?.image ?? null,
      after: after.id,
      diff: diff?.id ?? null,
    },
    next: { image: after.id, hash, width, height },
    changed,
    area,
    thumb,
    fresh: [after, diff, thumb].filter((one) => one !== null),
  }
}

/** The pictures of the run, and the objects to be stored for them. */
export function summaryOf({ drawn: regions, thumb }: Seen): {
  pictures: RunPictures<PictureSet>
  fresh: readonly Fresh[]
} {
  const changed = regions.reduce((sum, region) => sum + region.changed, 0)
  const area = regions.reduce((sum, region) => sum + region.area, 0)
  const small = regions[0]?.thumb?.id ?? thumb
  if (small === null) throw new Error('a run with pictures has a small one, of its own or of the run before')
  return {
    pictures: {
      changePct: percent(changed, area),
      hasChanges: changed > 0,
      regions: regions.map(({ images }) => images),
      baseline: { thumb: small, regions: regions.map(({ next }) => next) },
    },
    fresh: regions.flatMap((region) => region.fresh),
  }
}

const fresh = (png: Uint8Array): Fresh => ({ id: randomUUID(), png })

/**
 * Returns the changed percentage of an area. Six decimals are kept, so that a single pixel of the largest picture is
 * not rounded to 0.
 */
function percent(changed: number, area: number): number {
  return area === 0 ? 0 : Math.round((changed / area) * 1e8) / 1e6
}
