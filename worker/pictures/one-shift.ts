import type { Raster } from './raster.ts'

/** A rectangle of pixels, its edges included. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

interface Shift {
  /** -1, 0 or 1: where the other pixel lies. */
  readonly dx: number
  readonly dy: number
  /** How much of it is mixed in. */
  readonly part: number
}

/** Up to a pixel to each side: whole steps first, for they are exact. */
const SHIFTS: readonly Shift[] = [1, 0.75, 0.5, 0.25].flatMap((part) => [
  { dx: 1, dy: 0, part },
  { dx: -1, dy: 0, part },
  { dx: 0, dy: 1, part },
  { dx: 0, dy: -1, part },
])

/**
 * What a pixel may differ from its shifted twin, as a part of the contrast in the box. A shift by a part of a pixel is
 * drawn otherwise than the mix of two neighbours says; a whole one is not. Measured on digits (docs/visual.md).
 */
const TOLERANCE = { part: 0.4, whole: 0.1 }
/** Levels of a channel that nobody sees. */
const UNSEEN = 8

/**
 * True when the picture in the box is the former one moved by a pixel at most, the same way all over: text whose edges
 * were smoothed at another place, a scrollbar's end. A digit that became another is not: some of it stands still.
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

/** Levels between the darkest and the lightest pixel of both pictures, by channel. */
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
