import type { Raster } from './raster.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** The changed pixels, and the sizes that they refer to. */
interface Changes {
  /** One byte per pixel of `common`: 1 where it changed. */
  readonly mask: Uint8Array
  /** The size that both pictures cover. */
  readonly common: Size
  /** The size that contains both pictures. */
  readonly size: Size
}

/**
 * The side of a square in pixels. A square with a change is tinted together with its neighbours, so that a single
 * changed digit is easy to see.
 */
const TILE = 8
const RED = [224, 17, 43] as const
const TINT = 0.3
const DARK_RED = [157, 12, 30] as const
const LIGHT_RED = [235, 100, 117] as const

/**
 * Draws the later picture in pale grey. Squares with a change keep their colours under a red tint. Changed pixels are
 * drawn in shades of red. The result is large enough for both pictures; parts that only one of them covers are tinted.
 */
export function overlay(after: Raster, { mask, common, size }: Changes): Raster {
  const { width, height } = size
  const data = Buffer.allocUnsafe(width * height * 4)
  const tiles = tinted(mask, common)
  const across = Math.ceil(common.width / TILE)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 4) {
      const isCommon = x < common.width && y < common.height
      const from = x < after.width && y < after.height ? (y * after.width + x) * 4 : -1
      if (isCommon && mask[y * common.width + x] === 1) paint(data, at, after.data, from)
      else if (!isCommon || tiles[Math.floor(y / TILE) * across + Math.floor(x / TILE)] === 1)
        tint(data, at, after, from)
      else fade(data, at, after, from)
    }
  return { width, height, data }
}

/** Returns the squares to be tinted. */
function tinted(mask: Uint8Array, { width }: Size): Uint8Array {
  const across = Math.ceil(width / TILE)
  const down = Math.ceil(mask.length / width / TILE)
  const tiles = new Uint8Array(across * down)
  for (let pixel = mask.indexOf(1); pixel !== -1; pixel = mask.indexOf(1, pixel + 1)) {
    const x = pixel % width
    const column = Math.floor(x / TILE)
    const row = Math.floor((pixel - x) / width / TILE)
    for (let near = Math.max(0, row - 1); near <= Math.min(down - 1, row + 1); near++)
      tiles.fill(1, near * across + Math.max(0, column - 1), near * across + Math.min(across - 1, column + 1) + 1)
  }
  return tiles
}

/** Maps dark content to dark red and light content to light red, so that new text is readable. */
function paint(data: Buffer, at: number, own: Buffer, from: number): void {
  const light = lightOf(own, from) / 255
  for (let channel = 0; channel < 3; channel++) {
    const dark = DARK_RED[channel] ?? 0
    data[at + channel] = dark + ((LIGHT_RED[channel] ?? 0) - dark) * light
  }
  data[at + 3] = 255
}

function tint(data: Buffer, at: number, { data: own }: Raster, from: number): void {
  for (let channel = 0; channel < 3; channel++) {
    const level = from < 0 ? 255 : (own[from + channel] ?? 255)
    data[at + channel] = level + ((RED[channel] ?? 0) - level) * TINT
  }
  data[at + 3] = 255
}

function fade(data: Buffer, at: number, { data: own }: Raster, from: number): void {
  const level = 255 - (255 - lightOf(own, from)) * 0.25
  data[at] = level
  data[at + 1] = level
  data[at + 2] = level
  data[at + 3] = 255
}

const lightOf = (own: Buffer, from: number) =>
  (own[from] ?? 255) * 0.299 + (own[from + 1] ?? 255) * 0.587 + (own[from + 2] ?? 255) * 0.114
