import { BrowserError } from './browser-error.ts'
import { createBrowserPool, type BrowserPoolOptions } from './chromium/browser-pool.ts'
import { createPageView } from './page/page-view.ts'

/** What a browser has that was started. */
interface BrowserLook {
  readonly version: string
  readonly isSandboxed: boolean
  /** The scripts that it has no letters for. */
  readonly withoutFont: readonly FontScript[]
}

/** Letters of each script. Where the browser draws them like a character that does not exist, it has no font for it. */
const SCRIPTS = {
  Latin: 'aßž',
  Cyrillic: 'жщё',
  Greek: 'λωή',
  CJK: '漢かカ한',
  Arabic: 'شعر',
  Hebrew: 'שלט',
  emoji: '😀🚀',
} as const
export type FontScript = keyof typeof SCRIPTS
export const FONT_SCRIPTS = Object.keys(SCRIPTS) as readonly FontScript[]

/** Returns in the page which scripts have a letter that looks like one that no font has. */
const WITHOUT_FONT = `(() => {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 48
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context.font = '32px sans-serif'
  context.textBaseline = 'top'
  const drawn = (text) => {
    context.clearRect(0, 0, canvas.width, canvas.height)
    context.fillText(text, 4, 4)
    return context.getImageData(0, 0, canvas.width, canvas.height).data.join()
  }
  // Nothing, and two characters that are in no font.
  const missing = new Set([' ', '\\u0378', '\\u{effff}'].map(drawn))
  return Object.entries(${JSON.stringify(SCRIPTS)})
    .filter(([, letters]) => Array.from(letters).some((letter) => missing.has(drawn(letter))))
    .map(([script]) => script)
})()`

/**
 * Starts a browser as the first page would, asks it for its fonts, and ends it. Opens no address. Rejects with a
 * `BrowserError` that says what to do, also when the signal ends it.
 */
export async function lookAtBrowser(options: BrowserPoolOptions, signal: AbortSignal): Promise<BrowserLook> {
  let isSandboxed = true
  const pool = createBrowserPool({ ...options, onSandbox: (is) => (isSandboxed = is) })
  const end = () => void pool.close()
  signal.addEventListener('abort', end)
  try {
    const { browser } = await pool.take()
    const { playwright } = browser
    const page = await playwright.newPage()
    const asked = await createPageView(await page.context().newCDPSession(page)).ask(WITHOUT_FONT)
    if (asked.kind !== 'value') throw new BrowserError('The browser starts, and cannot run a script. Try again.')
    const found = asked.value as readonly string[]
    const withoutFont = FONT_SCRIPTS.filter((script) => found.includes(script))
    return { version: playwright.version(), isSandboxed, withoutFont }
  } catch (error) {
    throw signal.aborted ? new BrowserError('The browser did not start in time. See whether it hangs.') : error
  } finally {
    signal.removeEventListener('abort', end)
    await pool.close()
  }
}
