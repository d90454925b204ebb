import { MOST_PIXELS } from './picture-limits.ts'

/**
 * A picture that a browser took of a page, or of one region of it. A runner returns a list of them beside its values
 * and knows nothing of earlier ones; the trusted side stores and compares. The list has one shot for each region of
 * `visual_config.regions`, in their order, also for a region that was not found; without regions it is one shot of the
 * page.
 */
export interface Shot {
  /** `page` for the whole; of a region its label, else `region-N`, N counted from 1. */
  readonly region: string
  /** In CSS pixels, which are the picture's own: a device scale factor of 1. 0 without a picture. */
  readonly width: number
  readonly height: number
  /** PNG. Null: the region's selector found nothing visible on the page. */
  readonly png: Uint8Array | null
}

/** A shot of a page is cut off at this height in pixels, and the reading warns. */
export const TALLEST_SHOT = 16_384

/** The height in pixels at which a shot of this width is cut off: what is larger is not compared. */
export const tallestShot = (width: number): number => Math.min(TALLEST_SHOT, Math.floor(MOST_PIXELS / width))

/** Bytes of one PNG at most; a larger one is a failed run. */
export const LARGEST_SHOT_BYTES = 15 * 1024 * 1024
