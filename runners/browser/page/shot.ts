import { MAX_PIXELS } from './picture-limits.ts'

/**
 * A picture that a browser took of a page, or of one region of it. A runner returns a list of them with its values and
 * knows nothing of earlier ones; the trusted side stores and compares them. The list has one shot for each region of
 * `visual_config.regions`, in their order, even for a region that was not found. Without regions it has one shot of the
 * page.
 */
export interface Shot {
  /** `page` for the full page. For a region its label, else `region-N`, with N counted from 1. */
  readonly region: string
  /** In CSS pixels, which are the picture's pixels: the device scale factor is 1. 0 without a picture. */
  readonly width: number
  readonly height: number
  /** PNG. Null: the region's selector found nothing visible. */
  readonly png: Uint8Array | null
}

/** Returns a warning for each region of the list that was not found. */
export const missingRegions = (shots: readonly Shot[]): string[] =>
  shots.flatMap(({ png }, index) =>
    png === null ? [`The region ${shotName(shots, index)} was not found on the page; its picture is empty.`] : [],
  )

/** Returns the name of a shot for messages: its region, and its number if another region has the same label. */
export function shotName(shots: readonly Shot[], index: number): string {
  const region = shots[index]?.region ?? ''
  const isShared = shots.filter((shot) => shot.region === region).length > 1
  return JSON.stringify(region) + (isShared ? ` (number ${index + 1})` : '')
}

/** The height in pixels at which a shot is cut off, with a warning in the reading. */
export const TALLEST_SHOT = 16_384

/** Returns the height in pixels at which a shot of this width is cut off. Larger pictures are not compared. */
export const tallestShot = (width: number): number => Math.min(TALLEST_SHOT, Math.floor(MAX_PIXELS / width))

/** The most bytes of one PNG; a larger one fails the run. */
export const LARGEST_SHOT_BYTES = 15 * 1024 * 1024
