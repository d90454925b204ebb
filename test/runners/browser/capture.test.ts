import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { TALLEST_SHOT, type Shot } from '../../../runners/browser/page/shot.ts'
import type { VisualConfig } from '../../../schema/monitor/visual-config.ts'
import { renderOne, testBrowsers } from '../../support/browser/test-browsers.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 60_000 })

let site: Site
let browsers: Browsers

beforeAll(async () => {
  site = await openSite({ otherwise: status(404) })
  browsers = testBrowsers()
})

afterAll(async () => {
  await browsers.close()
  await site[Symbol.asyncDispose]()
})

const STYLE = '<style>body { margin: 0 } div { height: 100px; background: #f00 } #blue { background: #00f }</style>'

async function shotsOf(html: string, visual: Partial<VisualConfig> = {}) {
  const rendered = await renderOne(browsers, { url: site.page('/shot', html), visual: { enabled: true, ...visual } })
  if (!rendered.ok || rendered.kind !== 'body') throw new Error(JSON.stringify(rendered))
  return rendered
}

/** Size, and the colour of a point, as `width×height #rrggbb`. */
function seen(shot: Shot | undefined, x = 10, y = 10): string {
  if (!shot?.png) return 'nothing'
  const { width, height, data } = PNG.sync.read(Buffer.from(shot.png))
  expect([Math.round(shot.width), Math.round(shot.height)]).toEqual([width, height])
  const at = (y * width + x) * 4
  return `${width}×${height} #${data.subarray(at, at + 3).toString('hex')}`
}

describe('a picture', () => {
  test('shows the full scroll height unless said otherwise, 1280 wide', async () => {
    const { shots } = await shotsOf(`<!doctype html>${STYLE}<div style="height: 3000px"></div><div id="blue"></div>`)
    expect(shots.map(({ region }) => region)).toEqual(['page'])
    expect(seen(shots[0], 10, 3_050)).toBe('1280×3100 #0000ff')
  })

  test('shows the viewport when fullPage is false, in the size that is asked for', async () => {
    const visual = { fullPage: false, viewport: { width: 500, height: 400 } }
    const { shots } = await shotsOf(`<!doctype html>${STYLE}<div style="height: 3000px"></div>`, visual)
    expect(seen(shots[0])).toBe('500×400 #ff0000')
  })

  test('shows regions by selector and by rectangle, in order, with their labels', async () => {
    const regions = [
      { selector: '#blue', label: 'Blue one' },
      { rect: { x: 0, y: 950, width: 40, height: 100 } },
      { selector: '#missing' },
      { selector: '#hidden', label: 'Hidden' },
    ]
    const html =
      `<!doctype html>${STYLE}<div style="height: 1000px"></div><div id="blue"></div><div id="hidden" ` +
      `style="display: none"></div>`
    const { shots } = await shotsOf(html, { regions })
    expect(shots.map((shot) => [shot.region, seen(shot, 10, 60)])).toEqual([
      ['Blue one', '1280×100 #0000ff'],
      ['region-2', '40×100 #0000ff'],
      ['region-3', 'nothing'],
      ['Hidden', 'nothing'],
    ])
  })

  test('leaves out what is ignored, and its area stays', async () => {
    const html = `<!doctype html>${STYLE}<div id="blue" class="clock"></div><div></div>`
    const { shots } = await shotsOf(html, { ignoreSelectors: ['.clock', 'p > ('] })
    expect([seen(shots[0], 10, 50), seen(shots[0], 10, 150)]).toEqual(['1280×720 #ffffff', '1280×720 #ff0000'])
  })

  test.each([
    ['says that it is visible inside', '.clock b { visibility: visible }', ''],
    ['is important to the page', '#blue.clock, #blue.clock b { visibility: visible !important }', ''],
    ['says so in its own style', '', 'style="visibility: visible !important; opacity: 1 !important"'],
    [
      'fades',
      '.clock, .clock b { transition: all 5s; animation: glow 1s infinite } @keyframes glow { to { opacity: 1; ' +
        'visibility: visible } }',
      '',
    ],
    [
      'is drawn before an element',
      '.clock::before { content: ""; display: block; height: 50px; background: #0f0 }',
      '',
    ],
  ])('leaves out what is ignored though it %s', async (_, rule, own) => {
    const html =
      `<!doctype html>${STYLE}<style>b { display: block; height: 50px; background: #00f } ${rule}</style><div ` +
      `id="blue" class="clock" ${own}><b>12</b></div><div></div>`
    const { shots } = await shotsOf(html, { ignoreSelectors: ['p > (', '[x="', '.clock'] })
    expect([seen(shots[0], 200, 20), seen(shots[0], 10, 150)]).toEqual(['1280×720 #ffffff', '1280×720 #ff0000'])
  })

  test('leaves out what is drawn before an element alone', async () => {
    const html =
      `<!doctype html>${STYLE}<style>#blue::before { content: ""; display: block; height: 50px; background: #0f0 ` +
      `}</style><div id="blue"></div>`
    const { shots } = await shotsOf(html, { ignoreSelectors: ['#blue::before'] })
    expect(seen(shots[0], 10, 20)).toBe('1280×720 #0000ff')
  })

  test('does not wait for a font that never comes', async () => {
    site.page('/never', () => {})
    const html =
      `<!doctype html>${STYLE}<style>@font-face { font-family: F; src: url(/never); font-display: block } body { ` +
      `font-family: F }</style><div></div><p>text</p>`
    const startedAt = performance.now()
    expect(seen((await shotsOf(html)).shots[0])).toBe('1280×720 #ff0000')
    expect(performance.now() - startedAt).toBeLessThan(12_000)
  })

  test('of a rectangle shows what of it is on the page, in whole pixels; of one beyond it, nothing', async () => {
    const regions = [
      { rect: { x: 0, y: 50_000, width: 10, height: 10 } },
      { rect: { x: 50_000, y: 0, width: 10, height: 10 } },
      { rect: { x: 1_270.4, y: 690.2, width: 100, height: 100 } },
      { rect: { x: 0.5, y: 0.5, width: 20.3, height: 20.4 } },
      { rect: { x: 0, y: 0, width: 0.4, height: 0 } },
      { selector: '#blue' },
    ]
    const html =
      `<!doctype html>${STYLE}<style>#blue { width: 30.3px; height: 40.6px }</style><div></div><div ` +
      `id="blue"></div>`
    const { shots } = await shotsOf(html, { regions })
    expect(shots.map((shot) => (shot.png ? `${shot.width}×${shot.height} ${seen(shot, 0, 0)}` : 'nothing'))).toEqual([
      'nothing',
      'nothing',
      '10×30 10×30 #ffffff',
      '20×20 20×20 #ff0000',
      '1×1 1×1 #ff0000',
      '30×41 30×41 #0000ff',
    ])
  })

  test('of a document that has lost its body is one of the viewport', async () => {
    const script = `addEventListener('load', () => document.body.remove())`
    const html = `<!doctype html>${STYLE}<p>x</p><script>${script}</script>`
    expect(seen((await shotsOf(html)).shots[0])).toBe('1280×720 #ffffff')
  })

  test('is the same byte for byte of the same page, though it is animated and has a blinking caret', async () => {
    const html = `<!doctype html><style>
        @keyframes turn { to { transform: rotate(360deg); opacity: 0 } }
        b { display: inline-block; animation: turn 0.7s infinite }
        i { transition: margin 1s }
      </style>
      <b>turning</b><i>moving</i><input autofocus value="caret"><p>text</p>`
    const [one, two] = [await shotsOf(html), await shotsOf(html)]
    expect(Buffer.compare(one.shots[0]?.png ?? Buffer.alloc(0), two.shots[0]?.png ?? Buffer.alloc(1))).toBe(0)
  })

  test(`of a page that is 200,000 px tall is cut off at ${TALLEST_SHOT}, with a warning`, async () => {
    const startedAt = performance.now()
    const { shots, warnings } = await shotsOf(`<!doctype html>${STYLE}<div style="height: 200000px"></div>`)
    expect(seen(shots[0])).toBe(`1280×${TALLEST_SHOT} #ff0000`)
    expect(warnings).toEqual([`The page is 200000 px tall; its picture shows the first ${TALLEST_SHOT}.`])
    expect(performance.now() - startedAt).toBeLessThan(40_000)
  })

  test('is not taken where no visual layer is on', async () => {
    expect((await shotsOf(`<!doctype html>${STYLE}<div></div>`, { enabled: false })).shots).toEqual([])
  })
})
