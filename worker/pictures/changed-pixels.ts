import pixelmatch from 'pixelmatch'
import { type Box, isOneShift } from './one-shift.ts'
import type { Raster } from './raster.ts'

/** The pixels that differ visibly between two pictures of the same size. */
interface ChangedPixels {
  readonly count: number
  /** One byte per pixel: 1 where it changed. */
  readonly mask: Uint8Array
}

/** The smallest difference of colour that counts as visible, as a threshold of pixelmatch. */
const THRESHOLD = 0.1
/** Rows that are compared at a time, and the extra rows on each side that pixelmatch needs for a pixel's neighbours. */
const BAND = 512
const MARGIN = 2
/** If more than this share of the picture differs, nothing in it is treated as shifted. */
const MAX_SHIFTED = 0.05
/** Changed pixels at most this far apart belong to the same group. */
const REACH = 2

/**
 * pixelmatch distinguishes smoothed edges from changes pixel by pixel. But it counts the end of a scrollbar that moved
 * by a pixel, and text that is drawn a fraction of a pixel further on. These give more changed pixels than a price with
 * another digit. So the pixels that it finds are grouped. A group that only moved by a pixel is not a change.
 */
export function changedPixels(before: Raster, after: Raster): ChangedPixels {
  const mask = new Uint8Array(after.width * after.height)
  const seen = markDifferent(before, after, mask)
  if (seen === 0 || seen > mask.length * MAX_SHIFTED) return { count: seen, mask }
  return { count: seen - unmarkShifted(before, after, mask), mask }
}

function markDifferent(before: Raster, after: Raster, mask: Uint8Array): number {
  const { width, height } = after
  let count = 0
  for (let top = 0; top < height; top += BAND) {
    const bottom = Math.min(height, top + BAND)
    const from = Math.max(0, top - MARGIN)
    const to = Math.min(height, bottom + MARGIN)
    const was = before.data.subarray(from * width * 4, to * width * 4)
    const is = after.data.subarray(from * width * 4, to * width * 4)
    if (was.equals(is)) continue
    const found = Buffer.alloc(was.length)
    pixelmatch(was, is, found, width, to - from, { threshold: THRESHOLD, diffMask: true })
    for (let pixel = top * width, at = (top - from) * width * 4; pixel < bottom * width; pixel++, at += 4)
      if (found[at + 3] !== 0) {
        mask[pixel] = 1
        count += 1
      }
  }
  return count
}

const LOOKED_AT = 2
const SHIFTED = 3

/** Removes groups that only moved from the mask. Returns the number of pixels removed. */
function unmarkShifted(before: Raster, after: Raster, mask: Uint8Array): number {
  const { width } = after
  let unmarked = 0
  // The boxes of groups can overlap. The pixels examined are limited, so a page made for that costs only a few passes
  // over the whole picture.
  let budget = 4 * mask.length
  for (let start = mask.indexOf(1); start !== -1; start = mask.indexOf(1, start + 1)) {
    const { pixels, box } = gather(mask, start, after)
    budget -= (box.right - box.left + 3) * (box.bottom - box.top + 3)
    if (budget < 0) break
    if (!isOneShift(before, after, box)) continue
    for (const pixel of pixels) mask[pixel] = SHIFTED
    unmarked += pixels.length
  }
  for (let pixel = 0; pixel < width * after.height; pixel++)
    if (mask[pixel] === LOOKED_AT) mask[pixel] = 1
    else if (mask[pixel] === SHIFTED) mask[pixel] = 0
  return unmarked
}

/** Returns the group that a pixel belongs to, and marks its pixels as visited. */
function gather(mask: Uint8Array, start: number, { width, height }: Raster): { pixels: number[]; box: Box } {
  const pixels = [start]
  mask[start] = LOOKED_AT
  const box = { left: width, top: height, right: 0, bottom: 0 }
  for (let at = 0; at < pixels.length; at++) {
    const pixel = pixels[at] ?? 0
    const x = pixel % width
    const y = (pixel - x) / width
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x)
    box.top = Math.min(box.top, y)
    box.bottom = Math.max(box.bottom, y)
    for (let row = Math.max(0, y - REACH); row <= Math.min(height - 1, y + REACH); row++)
      take(row * width + Math.max(0, x - REACH), row * width + Math.min(width - 1, x + REACH))
  }
  return { pixels, box }

  function take(first: number, last: number): void {
    for (let near = first; near <= last; near++)
      if (mask[near] === 1) {
        mask[near] = LOOKED_AT
        pixels.push(near)
      }
  }
}
