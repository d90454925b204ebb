import sharp from 'sharp'
import { changedPixels } from '../../worker/pictures/changed-pixels.ts'
import { compare } from '../../worker/pictures/compare.ts'
import { decode } from '../../worker/pictures/raster.ts'
import { type Spread, spreadOf } from '../results/stats.ts'

/**
 * Milliseconds of processor time per megapixel of a comparison of two full pages, decoding and drawing included, and of
 * the comparing step alone.
 */
export interface VisualDiff {
  readonly megapixels: number
  readonly cases: readonly { readonly name: string; readonly wholeMs: Spread; readonly compareMs: Spread }[]
}

const WIDTH = 1280
const CASES = [
  { name: 'same picture', price: 1, from: 0 },
  { name: 'one digit', price: 2, from: 0 },
  { name: 'all moved down', price: 1, from: 120 },
] as const

/** The size of the measurement. */
export interface VisualDiffSize {
  readonly rounds: number
  /** The height of the pages in pixels; they are 1280 wide. From 1,300 pixels on they show the price that changes. */
  readonly height: number
}

/**
 * Draws pages and compares them with the first one. It does so in this thread: a worker's own thread only adds a copy
 * of the PNG.
 */
export async function measureVisualDiff({ rounds, height }: VisualDiffSize): Promise<VisualDiff> {
  const megapixels = (WIDTH * height) / 1e6
  const perMegapixel = (times: readonly number[]) => spreadOf(times.map((ms) => ms / megapixels))
  const before = await page({ price: 1, from: 0, height })
  const cases = []
  for (const { name, ...drawing } of CASES) {
    const after = await page({ ...drawing, height })
    const [was, is] = [await decode(before), await decode(after)]
    const whole: number[] = []
    const alone: number[] = []
    for (let round = 0; round < rounds; round++) {
      whole.push(await timed(() => compare({ before, after, thumb: false })))
      alone.push(await timed(() => Promise.resolve(changedPixels(was, is))))
    }
    cases.push({ name, wholeMs: perMegapixel(whole), compareMs: perMegapixel(alone) })
  }
  return { megapixels, cases }
}

/** Returns processor time: decoding runs beside this thread, and other load of the machine does not count. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

interface Drawing {
  /** The number of strokes that stand for a price. */
  readonly price: number
  /** The offset of the first row, in pixels. */
  readonly from: number
  readonly height: number
}

/** Draws lines of bars in place of text, some pictures, and a price that is a row of strokes. No font is needed. */
function page({ price, from, height }: Drawing): Promise<Buffer> {
  const parts: string[] = []
  for (let y = 100 + from; y < height - 300; y += 400) {
    parts.push(
      `<rect x="40" y="${y}" width="300" height="220" fill="url(#g)"/><circle cx="190" cy="${y + 110}" r="71.5" ` +
        `fill="#0f766e"/>`,
    )
    for (let line = 0; line < 10; line++)
      for (let word = 0; word < 16; word++)
        parts.push(
          `<rect x="${370 + word * 52 + ((line * 7 + word * 13) % 11)}" y="${y + line * 22}" ` +
            `width="${30 + ((line + word) % 4) * 4.5}" height="9" rx="3" fill="#374151"/>`,
        )
    const strokes = y === 900 + from ? price : 1
    for (let at = 0; at < 6; at++)
      parts.push(`<rect x="${40 + at * 14}" y="${y + 240}" width="${2 * strokes}" height="15" fill="#b91c1c"/>`)
  }
  const gradient =
    '<linearGradient id="g" x2="1" y2="1"><stop stop-color="#fde68a"/><stop offset="1" ' +
    'stop-color="#60a5fa"/></linearGradient>'
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}"><defs>${gradient}</defs><rect ` +
    `width="100%" height="100%" fill="#fff"/>${parts.join('')}</svg>`
  return sharp(Buffer.from(svg), { unlimited: true }).png().toBuffer()
}
