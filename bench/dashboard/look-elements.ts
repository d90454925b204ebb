import { NEVER, testBrowsers } from '../../test/support/browser/test-browsers.ts'
import { ratios, type Spread, spreadOf } from '../results/stats.ts'

/** Returns what a render with a picture and its elements takes, over one with the picture alone, in turn. */
export async function measureElements(url: string, renders: number): Promise<Spread> {
  const browsers = testBrowsers({ pages: 1 })
  async function render(looks: boolean): Promise<number> {
    const from = performance.now()
    const rendered = await browsers.render(
      { url, headers: null, visual: { enabled: true }, looks },
      { signal: NEVER, deadlineMs: 60_000 },
    )
    if (!rendered.ok) throw new Error(`${rendered.fault.code}: ${rendered.fault.message}`)
    return performance.now() - from
  }
  try {
    // The first one starts the browser.
    await render(true)
    const [withElements, without]: [number[], number[]] = [[], []]
    for (let nth = 0; nth < renders; nth += 1) {
      without.push(await render(false))
      withElements.push(await render(true))
    }
    return spreadOf(ratios(withElements, without))
  } finally {
    await browsers.close()
  }
}
