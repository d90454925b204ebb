import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { createLogger } from '../core/logger.ts'
import { type Browsers, createBrowsers } from '../runners/browser/browsers.ts'
import { chromiumProgram } from '../runners/browser/chromium-program.ts'
import { check, type CheckPorts } from '../runners/check/check.ts'
import type { Task } from '../runners/check/task.ts'
import { createExtractor } from '../runners/extract/pool.ts'
import { createPageReader } from '../runners/fetch/paging/page-reader.ts'
import { createGuardedAgent } from '../runners/guard/guarded-agent.ts'
import { createPolicy } from '../runners/guard/policy.ts'
import { unprivilegedUser } from '../store/embedded/unprivileged-user.ts'
import { openShop } from './browser-page.ts'
import { ratios, type Spread, spreadOf } from './stats.ts'

/** How much is measured. */
export interface BrowserChecksSize {
  /** Checks in each round. */
  readonly checks: number
  readonly rounds: number
  /** Pages at once, in both. */
  readonly atOnce: number
  /** Checks after those that are timed, to see whether memory grows. */
  readonly more: number
}

/** Browser checks beside a bare Playwright loop, both per second, in turn, on the same Chromium. */
export interface BrowserChecks {
  readonly checks: number
  readonly rounds: number
  readonly atOnce: number
  readonly ours: Spread
  readonly bare: Spread
  readonly ratio: Spread
  /** Megabytes that this process occupies after the warm-up, and after `memoryAfter` checks more. */
  readonly memory: { readonly after: number; readonly warm: number; readonly end: number }
}

/**
 * Ours is a whole check short of the store: walls, proxy, fresh context, sandbox, waiting, extraction. Bare is a fresh context, `goto` until the network is
 * idle, `content()`; without a sandbox where root runs it, since Playwright cannot change the account.
 */
export async function measureBrowserChecks(size: BrowserChecksSize): Promise<BrowserChecks> {
  const { checks, rounds, atOnce, more } = size
  const shop = await openShop()
  const ours = openOurs(atOnce)
  const bare = await openBare()
  const bareOnce = () => bareCheck(bare, shop.url)
  const ourOnce = () => ours.once(shop.url)
  try {
    await times(atOnce * 2, atOnce, bareOnce)
    await times(atOnce * 2, atOnce, ourOnce)
    const found: { ours: number; bare: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const bareMs = await times(checks, atOnce, bareOnce)
      const ourMs = await times(checks, atOnce, ourOnce)
      found.push({ ours: (checks / ourMs) * 1000, bare: (checks / bareMs) * 1000 })
    }
    const warm = megabytes()
    await times(more, atOnce, ourOnce)
    const [our, bares] = [found.map((one) => one.ours), found.map((one) => one.bare)]
    const spreads = { ours: spreadOf(our), bare: spreadOf(bares), ratio: spreadOf(ratios(our, bares)) }
    return { checks, rounds, atOnce, ...spreads, memory: { after: more, warm, end: megabytes() } }
  } finally {
    await ours.close()
    await bare.close()
    await shop.close()
  }
}

/** Milliseconds for so many, so many at once. */
async function times(count: number, atOnce: number, once: () => Promise<void>): Promise<number> {
  let next = 0
  const one = async (): Promise<void> => {
    while (next++ < count) await once()
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: atOnce }, one))
  return performance.now() - start
}

function megabytes(): number {
  return Math.round(process.memoryUsage.rss() / 1_048_576)
}

const DATA_DIR = join(tmpdir(), `tidemark-bench-${process.getuid?.() ?? 0}`)

function openOurs(atOnce: number) {
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] })
  const browsers: Browsers = createBrowsers({
    egress,
    log: createLogger('silent'),
    path: process.env['CHROMIUM_PATH'] ?? null,
    dataDir: DATA_DIR,
    pages: atOnce,
  })
  const [agent, extractor, pages] = [createGuardedAgent(egress), createExtractor({ threads: 1 }), createPageReader()]
  const ports: CheckPorts = { agent, extractor, pages, browser: browsers, signal: new AbortController().signal }
  return {
    async once(url: string): Promise<void> {
      const reading = await check({ ...TASK, url }, ports)
      if (reading.kind !== 'values' || reading.values['price'] !== '$0.99')
        throw new Error(`not what the page shows: ${JSON.stringify(reading)}`)
    },
    async close(): Promise<void> {
      await browsers.close()
      await Promise.all([agent.destroy(), extractor.close(), pages.close()])
    },
  }
}

async function openBare(): Promise<Browser> {
  const user = await unprivilegedUser(['nobody'])
  const program = await chromiumProgram({ path: process.env['CHROMIUM_PATH'] ?? null, dataDir: DATA_DIR, user })
  return chromium.launch({ executablePath: program.path, env: program.environment, chromiumSandbox: user === null })
}

async function bareCheck(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'networkidle' })
  const html = await page.content()
  await context.close()
  if (!html.includes('$0.99')) throw new Error('not what the page shows')
}

const TASK: Omit<Task, 'url'> = {
  no: 0,
  fence: 0,
  runId: '',
  monitorId: '',
  queue: 'browser',
  host: '',
  extract: { method: 'css', fields: { price: '.price' } },
  request: null,
  visual: null,
  triesStatic: false,
  headers: null,
  obstacle: null,
  last: null,
  dueMs: null,
  claimedMs: 0,
  claimedAt: 0,
}
