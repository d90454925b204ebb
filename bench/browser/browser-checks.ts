import { ratios, type Spread, spreadOf } from '../results/stats.ts'
import { type Child, startChild } from '../support/child.ts'
import { openShop } from './browser-page.ts'
import type { SideAnswer, SideName, SideQuestion } from './browser-side.ts'

/** The size of the measurement. */
export interface BrowserChecksSize {
  /** The number of checks in each round. */
  readonly checks: number
  readonly rounds: number
  /** The number of pages open at once, in both loops. */
  readonly atOnce: number
  /** The number of checks over which memory is observed, those of the rounds after the first included. */
  readonly watched: number
  /** Observing memory ends after this many seconds at the latest. */
  readonly mostSeconds: number
}

/** Browser checks compared with a bare Playwright loop, both per second, in turn, on the same Chromium. */
export interface BrowserChecks {
  readonly checks: number
  readonly rounds: number
  readonly atOnce: number
  readonly ours: Spread
  readonly bare: Spread
  readonly ratio: Spread
  readonly memory: BrowserMemory
  readonly media: MediaChecks
}

/**
 * Checks of a page with 104 requests and 3.2 MB, per second, whose values alone are read: those of Tidemark leave its
 * media out. Bytes are those that the server sent for one check.
 */
interface MediaChecks {
  readonly ours: Spread
  readonly bare: Spread
  readonly ratio: Spread
  readonly oursBytes: number
  readonly bareBytes: number
}

/** Resident bytes after the first round, and after this many more checks. */
interface BrowserMemory {
  readonly checks: number
  readonly warm: Occupied
  readonly end: Occupied
}

interface Occupied {
  readonly processBytes: number
  readonly withBrowserBytes: number
}

type Side = Child<SideQuestion, SideAnswer>

/**
 * Alternates rounds of the bare loop and of Tidemark, each in its own process (`browser-side.ts`). Then it runs checks
 * of Tidemark until enough are observed.
 */
export async function measureBrowserChecks(size: BrowserChecksSize): Promise<BrowserChecks> {
  const { checks, rounds, atOnce, watched, mostSeconds } = size
  const shop = await openShop()
  const [ours, bare] = [startSide(), startSide()]
  try {
    for (const [side, name] of [
      [bare, 'bare'],
      [ours, 'ours'],
    ] satisfies [Side, SideName][]) {
      await side.ask({ what: 'open', side: name, url: shop.url, atOnce })
      await perSecond(side, atOnce * 2)
    }
    const found: { ours: number; bare: number }[] = []
    let warm: Occupied | null = null
    for (let round = 0; round < rounds; round++) {
      found.push({ bare: await perSecond(bare, checks), ours: await perSecond(ours, checks) })
      warm ??= await occupied(ours)
    }
    const before = checks * (rounds - 1)
    const more = await ours.ask({ what: 'check', checks: Math.max(0, watched - before), mostSeconds })
    const end = await occupied(ours)
    await Promise.all([ours, bare].map((side) => side.ask({ what: 'close' })))
    const memory = { checks: before + more.checks, warm: warm ?? end, end }
    const media = await measureMedia(shop, { checks: Math.ceil(checks / 2), rounds, atOnce })
    const [our, bares] = [found.map((one) => one.ours), found.map((one) => one.bare)]
    const spreads = { ours: spreadOf(our), bare: spreadOf(bares), ratio: spreadOf(ratios(our, bares)) }
    return { checks, rounds, atOnce, ...spreads, memory, media }
  } finally {
    // After an error above, their browsers lose their pipe, which ends them.
    await Promise.all([ours.stop(), bare.stop()])
    await shop.close()
  }
}

type Shop = Awaited<ReturnType<typeof openShop>>

async function measureMedia(
  shop: Shop,
  { checks, rounds, atOnce }: Pick<BrowserChecksSize, 'checks' | 'rounds' | 'atOnce'>,
): Promise<MediaChecks> {
  const sides = { ours: startSide(), bare: startSide() }
  try {
    await sides.bare.ask({ what: 'open', side: 'bare', url: shop.mediaUrl, atOnce })
    await sides.ours.ask({ what: 'open', side: 'sparse', url: shop.mediaUrl, atOnce })
    for (const side of Object.values(sides)) await perSecond(side, atOnce)
    const found = { ours: [] as number[], bare: [] as number[] }
    const bytes = { ours: 0, bare: 0 }
    for (let round = 0; round < rounds; round++)
      for (const name of ['bare', 'ours'] as const) {
        const before = shop.sentBytes()
        found[name].push(await perSecond(sides[name], checks))
        bytes[name] = (shop.sentBytes() - before) / checks
      }
    for (const side of Object.values(sides)) await side.ask({ what: 'close' })
    const ratio = spreadOf(ratios(found.ours, found.bare))
    const each = { ours: spreadOf(found.ours), bare: spreadOf(found.bare), ratio }
    return { ...each, oursBytes: bytes.ours, bareBytes: bytes.bare }
  } finally {
    await Promise.all(Object.values(sides).map((side) => side.stop()))
  }
}

const startSide = (): Side =>
  startChild<SideQuestion, SideAnswer>(new URL('./browser-side.ts', import.meta.url), ['--expose-gc'])

async function perSecond(side: Side, checks: number): Promise<number> {
  const { ms } = await side.ask({ what: 'check', checks, mostSeconds: Infinity })
  return (checks / ms) * 1000
}

async function occupied(side: Side): Promise<Occupied> {
  const { processBytes, withBrowserBytes } = await side.ask({ what: 'memory' })
  return { processBytes, withBrowserBytes }
}
