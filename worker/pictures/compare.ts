import { changedPixels } from './changed-pixels.ts'
import { overlay } from './overlay.ts'
import { corner, decode, encode, type Raster, thumbnail } from './raster.ts'

/** Two pictures of the same region, as PNG. */
export interface Pair {
  /** Null: there is no earlier picture, so nothing is compared. */
  readonly before: Uint8Array | null
  readonly after: Uint8Array
  /** Also make a thumbnail of `after`. */
  readonly thumb: boolean
}

/** The result of a comparison. */
export interface Compared {
  /** The size of the later picture in pixels. */
  readonly width: number
  readonly height: number
  /**
   * The number of changed pixels within `area`, the smallest rectangle that covers both pictures. A pixel that only one
   * of them covers counts as changed.
   */
  readonly changed: number
  readonly area: number
  /** The later picture as PNG, faded, with the changes in red; null if nothing changed. */
  readonly overlay: Uint8Array | null
  readonly thumb: Uint8Array | null
}

/**
 * Compares two pictures. The function is pure, but it needs much time and memory, so it runs in a thread (comparer.ts).
 * Throws for a picture that cannot be read.
 */
export async function compare({ before, after, thumb }: Pair): Promise<Compared> {
  const is = await decode(after)
  const { width, height } = is
  const small = thumb ? await thumbnail(is) : null
  const found =
    before === null ? { changed: 0, area: width * height, overlay: null } : await against(await decode(before), is)
  return { width, height, thumb: small, ...found }
}

async function against(was: Raster, is: Raster): Promise<Pick<Compared, 'changed' | 'area' | 'overlay'>> {
  const common = { width: Math.min(was.width, is.width), height: Math.min(was.height, is.height) }
  const size = { width: Math.max(was.width, is.width), height: Math.max(was.height, is.height) }
  const { count, mask } = changedPixels(
    corner(was, common.width, common.height),
    corner(is, common.width, common.height),
  )
  const area = size.width * size.height
  const changed = count + (area - common.width * common.height)
  if (changed === 0) return { changed, area, overlay: null }
  return { changed, area, overlay: await encode(overlay(is, { mask, common, size })) }
}
