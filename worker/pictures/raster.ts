import sharp from 'sharp'
import { MAX_PIXELS } from '../../runners/browser/page/picture-limits.ts'

/** A picture as pixels, row by row. Each pixel has four bytes: red, green, blue, and alpha, which is always 255. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly data: Buffer
}

/**
 * Decodes a PNG; transparent pixels become white. Throws if the PNG is broken or has more pixels than `MAX_PIXELS`.
 */
export async function decode(png: Uint8Array): Promise<Raster> {
  const { data, info } = await sharp(png, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}

/**
 * Encodes as PNG without alpha. The output of level 3 is a tenth larger than that of level 6 and takes two thirds of
 * the time (docs/visual.md).
 */
export function encode({ width, height, data }: Raster): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: MAX_PIXELS })
    .removeAlpha()
    .png({ compressionLevel: 3 })
    .toBuffer()
}

const THUMB = { width: 320, height: 240 }

/** Makes a thumbnail for lists: the whole width, and only the top of a tall page. */
export function thumbnail({ width, height, data }: Raster): Promise<Buffer> {
  const top = Math.min(height, Math.ceil((width * THUMB.height) / THUMB.width))
  return sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: MAX_PIXELS })
    .extract({ left: 0, top: 0, width, height: top })
    .resize({ width: THUMB.width, withoutEnlargement: true })
    .removeAlpha()
    .png({ compressionLevel: 9, palette: true, effort: 4 })
    .toBuffer()
}

/** Returns the top left part. It is not copied if the width stays the same. */
export function corner(raster: Raster, width: number, height: number): Raster {
  if (raster.width === width) return { width, height, data: raster.data.subarray(0, width * height * 4) }
  const data = Buffer.allocUnsafe(width * height * 4)
  for (let y = 0; y < height; y++)
    raster.data.copy(data, y * width * 4, y * raster.width * 4, (y * raster.width + width) * 4)
  return { width, height, data }
}
