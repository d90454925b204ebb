import type { Browser, BrowserContext, Page } from 'playwright-core'
import { sessionCookieName } from '../../api/auth/sign-in-options.ts'

/** What a person waits for in the list. */
export interface InBrowser {
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

interface Opened {
  readonly base: string
  readonly token: string
  readonly loads: number
}

const ROWS = `document.querySelectorAll('[role=row] a').length > 5`

export async function measureList(browser: Browser, { base, token, loads }: Opened): Promise<InBrowser> {
  // Playwright waits by code from text, which the policy of the page refuses.
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: true })
  await context.addCookies([{ name: sessionCookieName(base), value: encodeURIComponent(token), url: base }])
  await context.addInitScript(`window.longest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
  }).observe({ type: 'longtask', buffered: true })`)
  const firstRowsMs: number[] = []
  const slowedMs: number[] = []
  for (let nth = 0; nth <= loads; nth += 1) {
    const [plain, slowed] = [await load(context, base, 1), await load(context, base, 4)]
    // The first is kept out: the browser has no file of the page yet.
    if (nth > 0) firstRowsMs.push(plain)
    if (nth > 0) slowedMs.push(slowed)
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
  return { firstRowsMs, slowedMs, requests, keyMs, letterMs, ...scrolled }
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
