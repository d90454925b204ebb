import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { signedIn, type SignedIn } from './signed-in.ts'

/** What a person waits for in the list. */
export interface InBrowser {
  /** Code and styles until the list is usable, compressed. */
  readonly codeBytes: number
  readonly firstRowsMs: readonly number[]
  /** The same with the processor slowed four times. */
  readonly slowedMs: readonly number[]
  /** Requests for data before the first rows. */
  readonly requests: number
  /** How long after scrolling from top to end rows are missing. */
  readonly gapMs: number
  readonly longestTaskMs: number
  readonly elements: number
  readonly heapBytes: number
  readonly keyMs: readonly number[]
  readonly letterMs: readonly number[]
}

interface Opened extends SignedIn {
  readonly loads: number
}

const ROWS = `document.querySelectorAll('[role=row] a').length > 5`

export async function measureList(browser: Browser, { base, token, loads }: Opened): Promise<InBrowser> {
  const context = await signedIn(browser, { base, token })
  const codeBytes = await bytesOfCode(context, base)
  await context.addInitScript(`window.longest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
  }).observe({ type: 'longtask', buffered: true })`)
  const firstRowsMs: number[] = []
  const slowedMs: number[] = []
  for (let nth = 0; nth < loads; nth += 1) {
    firstRowsMs.push(await load(context, base, 1))
    slowedMs.push(await load(context, base, 4))
  }
  const page = await context.newPage()
  let requests = 0
  let isShown = false
  page.on('request', (request) => void (!isShown && request.url().includes('/v1/') && (requests += 1)))
  await page.goto(base)
  await page.waitForFunction(ROWS)
  isShown = true
  const keyMs = await keyTimes(page)
  const scrolled = await scroll(page)
  const letterMs = await letterTimes(page)
  await context.close()
  return { codeBytes, firstRowsMs, slowedMs, requests, keyMs, letterMs, ...scrolled }
}

/** Opens the list for the first time, so that later ones have its files. */
async function bytesOfCode(context: BrowserContext, base: string): Promise<number> {
  const page = await context.newPage()
  const asked: Request[] = []
  page.on('requestfinished', (request) => void (request.url().includes('/assets/') && asked.push(request)))
  await page.goto(base)
  await page.waitForFunction(ROWS)
  const sizes = await Promise.all(asked.map((request) => request.sizes()))
  await page.close()
  return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
}

async function load(context: BrowserContext, base: string, slowed: number): Promise<number> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowed })
  const from = performance.now()
  await page.goto(base, { waitUntil: 'commit' })
  await page.waitForFunction(ROWS, undefined, { polling: 'raf' })
  const took = performance.now() - from
  await page.close()
  return took
}

/** From a key to the paint of the row that it leads to. */
async function keyTimes(page: Page): Promise<number[]> {
  await page.getByRole('grid').focus()
  return page.evaluate(`(async () => {
    const grid = document.querySelector('[role=grid]')
    const took = []
    for (let nth = 0; nth < 60; nth += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const from = performance.now()
      grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }))
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      took.push(performance.now() - from)
    }
    return took
  })()`)
}

async function scroll(page: Page) {
  await page.evaluate('window.longest = 0')
  const gapMs = await page.evaluate<number>(`(async () => {
    const grid = document.querySelector('[role=grid]')
    const step = grid.scrollHeight / 120
    for (let top = 0; top <= grid.scrollHeight; top += step) {
      grid.scrollTop = top
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    grid.scrollTop = grid.scrollHeight
    const from = performance.now()
    const isFull = () => [...grid.querySelectorAll('[role=rowgroup] [role=row]')].every((row) => row.querySelector('a'))
    do await new Promise((resolve) => requestAnimationFrame(resolve))
    while (!isFull() || grid.querySelectorAll('[role=row] a').length === 0)
    return performance.now() - from
  })()`)
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  return {
    gapMs,
    longestTaskMs: await page.evaluate<number>('window.longest'),
    elements: await page.evaluate<number>(`document.querySelectorAll('*').length`),
    heapBytes: (await session.send('Runtime.getHeapUsage')).usedSize,
  }
}

/** From the last letter of a search to its rows. */
async function letterTimes(page: Page): Promise<number[]> {
  const took: number[] = []
  for (let nth = 0; nth < 20; nth += 1) {
    const text = `Kettle ${100 + nth}`
    await page.getByRole('searchbox').fill('')
    await page.waitForFunction(`!location.search.includes('q=')`)
    await page.getByRole('searchbox').fill(text.slice(0, -1))
    const from = performance.now()
    await page.keyboard.type(text.slice(-1))
    await page.waitForFunction(
      `[...document.querySelectorAll('[role=rowgroup] a')].length > 0 && location.search.endsWith('${100 + nth}') &&
       document.querySelector('[aria-busy=false] [role=grid]') !== null`,
      undefined,
      { polling: 'raf' },
    )
    took.push(performance.now() - from)
  }
  return took
}
