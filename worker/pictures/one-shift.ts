import type { Raster } from './raster.ts'

/** A rectangle of pixels, including its edges. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

interface Shift {
  /** -1, 0 or 1: the direction of the neighbouring pixel. */
  readonly dx: number
  readonly dy: number
  /** The weight of the neighbouring pixel in the mix. */
  readonly part: number
}

/** Shifts of up to a pixel in each direction. Whole pixels come first, because they are exact. */
const SHIFTS: readonly Shift[] = [1, 0.75, 0.5, 0.25].flatMap((part) => [
  { dx: 1, dy: 0, part },
  { dx: -1, dy: 0, part },
  { dx: 0, dy: 1, part },
  { dx: 0, dy: -1, part },
])

/**
 * The allowed difference between a pixel and its shifted counterpart, as a share of the contrast in the box. A shift by
 * a fraction of a pixel is not drawn exactly as a mix of two neighbours. A shift by a whole pixel is exact. Measured on
 * digits (docs/visual.md).
 */
const TOLERANCE = { part: 0.4, whole: 0.1 }
/** A difference in the levels of a channel that is not visible. */
const UNSEEN = 8

/**
 * Returns whether the picture in the box is the earlier one, moved by at most a pixel and in the same direction
 * everywhere. This is the case for text with differently smoothed edges and for a scrollbar's end. It is not the case
 * for a digit that became another digit, because parts of it do not move.
 */
export function isOneShift(before: Raster, after: Raster, box: Box): boolean {
  const { width, height } = after
  const padded = {
    left: Math.max(0, box.left - 1),
    top: Math.max(0, box.top - 1),
    right: Math.min(width - 1, box.right + 1),
    bottom: Math.min(height - 1, box.bottom + 1),
  }
  const contrast = contrastIn(before, after, padded)
  return SHIFTS.some((shift) => {
    const { part, whole } = TOLERANCE
    const tolerance = contrast.map((levels) => Math.max(UNSEEN, levels * (shift.part === 1 ? whole : part)))
    return isMovedBy(shift, before, { after, box: padded, tolerance })
  })
}

/** Returns the levels between the darkest and the lightest pixel of both pictures, per channel. */
function contrastIn(before: Raster, after: Raster, { left, top, right, bottom }: Box): number[] {
  const low = [255, 255, 255]
  const high = [0, 0, 0]
  for (let y = top; y <= bottom; y++)
    for (let at = (y * after.width + left) * 4, end = (y * after.width + right) * 4; at <= end; at += 4)
      for (let channel = 0; channel < 3; channel++) {
        const was = before.data[at + channel] ?? 0
        const is = after.data[at + channel] ?? 0
        low[channel] = Math.min(low[channel] ?? 0, was, is)
        high[channel] = Math.max(high[channel] ?? 0, was, is)
      }
  return high.map((level, channel) => level - (low[channel] ?? 0))
}

interface Sought {
  readonly after: Raster
  readonly box: Box
  readonly tolerance: readonly number[]
}

function isMovedBy({ dx, dy, part }: Shift, before: Raster, { after, box, tolerance }: Sought): boolean {
  const { width, height } = after
  for (let y = box.top; y <= box.bottom; y++) {
    const row = Math.min(height - 1, Math.max(0, y - dy)) * width
    for (let x = box.left; x <= box.right; x++) {
      const at = (y * width + x) * 4
      const from = (row + Math.min(width - 1, Math.max(0, x - dx))) * 4
      const moved = (channel: 0 | 1 | 2): number => {
        const own = before.data[at + channel] ?? 0
        const is = own + ((before.data[from + channel] ?? 0) - own) * part
        return Math.abs(is - (after.data[at + channel] ?? 0)) - (tolerance[channel] ?? 0)
      }
      if (moved(0) > 0 || moved(1) > 0 || moved(2) > 0) return false
    }
  }
  return true
}
