import type { Raster } from './raster.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** What changed, and where. */
interface Changes {
  /** A byte a pixel of `common`: 1 where it changed. */
  readonly mask: Uint8Array
  /** What both pictures cover. */
  readonly common: Size
  /** What holds both of them. */
  readonly size: Size
}

/**
 * Squares of so many pixels: one in which something changed is tinted with those beside it, so that the eye finds a
 * single digit.
 */
const TILE = 8
const RED = [224, 17, 43] as const
const TINT = 0.3
const DARK_RED = [157, 12, 30] as const
const LIGHT_RED = [235, 100, 117] as const

/**
 * The later picture in pale grey; where something changed in its colours under a red tint, what changed in reds. Of a
 * size that holds both pictures: what only one of them covers is tinted.
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

/** The squares that are tinted. */
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

/** From dark red to light red, as the content is dark or light: what is new can be read. */
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
