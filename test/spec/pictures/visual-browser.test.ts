import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { startWatching, type Watched, type Watching } from '../../support/api/watching.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 60_000 })

let browsers: Browsers
let watching: Watching

beforeAll(async () => {
  browsers = testBrowsers()
  watching = await startWatching({ browsers, pictures: true })
})

afterAll(async () => {
  await watching.close()
  await browsers.close()
})

interface Region {
  readonly label: string
  readonly changedPct: number
  readonly beforeUrl: string | null
  readonly afterUrl: string
  readonly diffUrl: string | null
}

/** A wide red stripe over a blue one, of these heights; what else stands on the page lies over them. */
const page = (red: number, blue: number, besides = '') =>
  `<!doctype html><style>body { margin: 0 }
   #red { height: ${red}px; background: #f00; font-size: 0 } #blue { height: ${blue}px; background: #00f }
   b, i { position: absolute; top: 10px; left: 10px; width: 40px; height: 40px; background: #000 }
   i { left: 100px }</style>
   <div id="red">.</div><div id="blue"></div>${besides}`

const watch = (first: string, visual: object = {}) =>
  watching.watch(first, {
    extract_config: { method: 'css', fields: { title: '#red' } },
    visual_config: { enabled: true, ...visual },
    deliveries: [{ type: 'webhook', url: 'https://example.com/hook' }],
  })

async function regionsOf(run: { readonly id: string }): Promise<readonly Region[]> {
  const { status, body } = await watching.served.me.get(`/v1/run-images/${run.id}`)
  expect(status).toBe(200)
  return body['regions'] as readonly Region[]
}

/** Size, and the colour of a point, as `width×height #rrggbb`. */
async function seen(url: string | null, x = 1, y = 1): Promise<string> {
  const answer = await fetch(watching.served.baseUrl + new URL(url ?? '').pathname)
  const { width, height, data } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()))
  const at = (y * width + x) * 4
  return `${width}×${height} #${data.subarray(at, at + 3).toString('hex')}`
}

async function nextRun(watched: Watched, html: string) {
  watched.set(html)
  return (await watched.run()) as unknown as { id: string; visual_change_pct: number; delivery_triggered: boolean }
}

describe('visual config', () => {
  test('enabled: each check screenshots the page and compares the changed pixels with the previous run’s', async () => {
    const watched = await watch(page(400, 600))
    const [first] = await regionsOf(watched.baseline)
    expect([first?.beforeUrl, first?.diffUrl, first?.changedPct]).toEqual([null, null, 0])
    const run = await nextRun(watched, page(500, 500))
    expect([run.visual_change_pct, run.delivery_triggered]).toEqual([10, true])
    const [region] = await regionsOf(run)
    expect(await Promise.all([region?.beforeUrl, region?.afterUrl].map((url) => seen(url ?? null, 5, 450)))).toEqual([
      '1280×1000 #0000ff',
      '1280×1000 #ff0000',
    ])
    expect((await nextRun(watched, page(500, 500))).visual_change_pct).toBe(0)
  })

  test('thresholdPct: deliveries fire when the changed-pixel area since the run before reaches it', async () => {
    const watched = await watch(page(400, 600), { thresholdPct: 10.5 })
    expect(await nextRun(watched, page(500, 500))).toMatchObject({ visual_change_pct: 10, delivery_triggered: false })
    expect(await nextRun(watched, page(610, 390))).toMatchObject({ visual_change_pct: 11, delivery_triggered: true })
  })

  test('fullPage: the full scroll height unless it is false; then the viewport, 1280 by 720 by default', async () => {
    const tall = page(2_000, 1_000)
    const [whole] = await regionsOf((await watch(tall)).baseline)
    expect(await seen(whole?.afterUrl ?? null, 5, 2_500)).toBe('1280×3000 #0000ff')
    const [part] = await regionsOf((await watch(tall, { fullPage: false })).baseline)
    expect(await seen(part?.afterUrl ?? null)).toBe('1280×720 #ff0000')
    const viewport = { width: 400, height: 300 }
    const [small] = await regionsOf((await watch(tall, { fullPage: false, viewport })).baseline)
    expect(await seen(small?.afterUrl ?? null)).toBe('400×300 #ff0000')
  })

  test('regions: a selector is resolved in every run, a rect is full-page CSS pixels; labels name them', async () => {
    const regions = [{ selector: '#blue', label: 'Blue' }, { rect: { x: 0, y: 890, width: 30, height: 20 } }]
    const watched = await watch(page(900, 300), { regions })
    const run = await nextRun(watched, page(880, 400))
    const [blue, rect] = await regionsOf(run)
    expect([blue?.label, await seen(blue?.beforeUrl ?? null), await seen(blue?.afterUrl ?? null)]).toEqual([
      'Blue',
      '1280×300 #0000ff',
      '1280×400 #0000ff',
    ])
    expect([rect?.changedPct, await seen(rect?.beforeUrl ?? null), await seen(rect?.afterUrl ?? null)]).toEqual([
      50,
      '30×20 #ff0000',
      '30×20 #0000ff',
    ])
  })

  test('regions: a rect beyond the page is an empty picture and a warning, not a failed run', async () => {
    const visual = { regions: [{ rect: { x: 0, y: 90_000, width: 10, height: 10 }, label: 'Far' }] }
    const watched = await watch(page(400, 600), visual)
    expect(watched.baseline).toMatchObject({ status: 'success', warnings: [expect.stringContaining('Far')] })
    const run = await nextRun(watched, page(500, 500))
    expect(run).toMatchObject({ visual_change_pct: 0, delivery_triggered: false })
  })

  test('ignoreSelectors: what they match is hidden before the screenshot, so that its change is none', async () => {
    const watched = await watch(page(400, 600, '<b></b><i></i>'), {
      ignoreSelectors: ['b', '.nothing', 'i'],
      thresholdPct: 0,
    })
    const [region] = await regionsOf(watched.baseline)
    expect(await seen(region?.afterUrl ?? null, 30, 30)).toBe('1280×1000 #ff0000')
    const run = await nextRun(
      watched,
      page(400, 600, '<b style="background: #0f0"></b><i style="background: #ff0"></i>'),
    )
    expect(run).toMatchObject({ visual_change_pct: 0, delivery_triggered: false })
  })
})
