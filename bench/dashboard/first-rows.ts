import type { Browser, BrowserContext, Request } from 'playwright-core'
import { signedIn, type SignedIn } from './signed-in.ts'

/** How long a screen takes to show its first rows, and what it loads beside the list of monitors. */
export interface FirstRows {
  readonly screen: string
  readonly firstRowsMs: readonly number[]
  /** Code and styles that the list has not loaded, compressed. */
  readonly moreBytes: number
}

/** Where the rows of each screen are. */
const SCREENS: Readonly<Record<string, string>> = {
  '/deliveries': 'main li[data-row]',
  '/audit': 'main ol li',
  '/team': '[aria-label=Members] li',
  '/keys': '[aria-label="Keys that work"] li',
}
/** A screen has at least so many rows. */
const ROWS = 10

const LIST_IS_SHOWN = `document.querySelectorAll('[role=row] a').length > 5`

/** Opens each screen so many times in new tabs of a browser that has its files. */
export async function measureFirstRows(
  browser: Browser,
  { base, token, loads }: SignedIn & { readonly loads: number },
): Promise<FirstRows[]> {
  const opened = async (path: string, isShown: string) => {
    const context = await signedIn(browser, { base, token })
    return { context, files: await filesOf(context, base + path, isShown) }
  }
  const list = await opened('/', LIST_IS_SHOWN)
  await list.context.close()
  const found: FirstRows[] = []
  for (const [screen, rows] of Object.entries(SCREENS)) {
    const isShown = `document.querySelectorAll(${JSON.stringify(rows)}).length >= ${ROWS}`
    const { context, files } = await opened(screen, isShown)
    const more = [...files].filter(([address]) => !list.files.has(address))
    const firstRowsMs: number[] = []
    for (let nth = 0; nth < loads; nth += 1) {
      const page = await context.newPage()
      const from = performance.now()
      await page.goto(base + screen, { waitUntil: 'commit' })
      await page.waitForFunction(isShown, undefined, { polling: 'raf' })
      firstRowsMs.push(performance.now() - from)
      await page.close()
    }
    await context.close()
    found.push({ screen, firstRowsMs, moreBytes: more.reduce((sum, [, bytes]) => sum + bytes, 0) })
  }
  return found
}

/** Opens a screen for the first time, and returns the files that it loads until it is shown, with their bytes. */
async function filesOf(context: BrowserContext, address: string, isShown: string): Promise<Map<string, number>> {
  const page = await context.newPage()
  const asked: Request[] = []
  page.on('requestfinished', (request) => void (request.url().includes('/assets/') && asked.push(request)))
  await page.goto(address)
  await page.waitForFunction(isShown)
  const files = await Promise.all(
    asked.map(async (request) => [request.url(), (await request.sizes()).responseBodySize] as const),
  )
  await page.close()
  return new Map(files)
}
