import { changedPixels } from './changed-pixels.ts'
import { overlay } from './overlay.ts'
import { corner, decode, encode, type Raster, thumbnail } from './raster.ts'

/** Two pictures of one region, as PNG. */
export interface Pair {
  /** Null: there is none yet, so nothing is compared. */
  readonly before: Uint8Array | null
  readonly after: Uint8Array
  /** Make a small picture of `after` too. */
  readonly thumb: boolean
}

/** What comparing came to. */
export interface Compared {
  /** In pixels: of the later picture. */
  readonly width: number
  readonly height: number
  /**
   * Pixels that changed, of `area`: the smallest rectangle that holds both pictures. What only one of them covers has
   * changed.
   */
  readonly changed: number
  readonly area: number
  /** The later picture, faded, with what changed in red, as PNG; null when nothing did. */
  readonly overlay: Uint8Array | null
  readonly thumb: Uint8Array | null
}

/**
 * Compares two pictures. Pure, but for the time and memory it takes: a thread does it (comparer.ts). Throws for a
 * picture that cannot be read.
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
