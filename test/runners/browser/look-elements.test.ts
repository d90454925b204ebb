import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BROWSER_DIED } from '../../../runners/browser/browser-faults.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { usageBelow } from '../../../runners/browser/chromium/process-usage.ts'
import { tallestShot } from '../../../runners/browser/page/shot.ts'
import { lookOf, type PageLook } from '../../../runners/check/look-of.ts'
import { createExtractor, type Extractor } from '../../../runners/extract/pool/extractor.ts'
import { LookElement } from '../../../schema/monitor/look.ts'
import type { VisualConfig } from '../../../schema/monitor/visual-config.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { NEVER, renderOne, testBrowsers } from '../../support/browser/test-browsers.ts'
import { openSite, type Site } from '../../support/network/site.ts'

// A browser starts, and a page without rest is waited for.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

let browsers: Browsers
let extractor: Extractor
let site: Site
beforeAll(async () => {
  browsers = testBrowsers()
  extractor = createExtractor()
  site = await openSite()
})
afterAll(async () => {
  await Promise.all([browsers.close(), extractor.close(), site[Symbol.asyncDispose]()])
})

let pages = 0
const pageOf = (body: string): string =>
  site.page(`/page-${(pages += 1)}`, `<!doctype html><meta charset="utf-8"><style>body { margin: 0 }</style>${body}`)
async function lookAt(body: string, visual: Partial<VisualConfig> = {}): Promise<PageLook> {
  const fetched = await renderOne(browsers, { url: pageOf(body), looks: true, visual: { enabled: true, ...visual } })
  if (!fetched.ok) throw new Error(`${fetched.fault.code}: ${fetched.fault.message}`)
  const look = await lookOf(fetched, { extractor, signal: NEVER }, [])
  for (const element of look.elements.slice(0, 200))
    expect(checkerOf(LookElement).validate(element)).toMatchObject({ ok: true })
  return look
}
function the({ elements }: PageLook, text: string): LookElement {
  const found = elements.findLast((one) => one.text === text)
  if (!found) throw new Error(`no element shows ${text}: ${JSON.stringify(elements.slice(0, 50))}`)
  return found
}
const boxOf = (look: PageLook, text: string) => the(look, text).box

describe('the elements of a page', () => {
  test('have boxes in the picture when the page, and a part of it, is scrolled', async () => {
    const look = await lookAt(`<p style="margin:0;height:2000px">Top</p>
      <div id="s" style="height:100px;overflow:auto"><div style="height:30px;padding-top:120px">Gone</div>
      <b style="display:block;height:50px">Shown</b></div>
      <i style="position:absolute;top:-1000000000px">Far</i>
      <script>s.scrollTop = 100; scrollTo(0, 900)</script>`)
    expect(boxOf(look, 'Top')).toMatchObject({ x: 0, y: 0, height: 2000 })
    expect(boxOf(look, 'Shown').y).toBeCloseTo(2050, -1)
    // Half of it is scrolled out of its box.
    expect(boxOf(look, 'Gone')).toMatchObject({ y: 2000, height: 50 })
    expect(look.elements.some(({ text }) => text === 'Far')).toBe(false)
  })

  test('are where the picture has them when they stick, are turned, or read from right to left', async () => {
    const look = await lookAt(`<div dir="rtl" style="width:1280px"><b>ימין</b></div>
      <header style="position:sticky;top:0;height:20px">Head</header><p style="height:3000px">Long</p>
      <p style="position:absolute;left:100px;top:100px;margin:0;width:100px;height:20px;transform:scale(2)">Big</p>
      <script>scrollTo(0, 500)</script>`)
    const right = boxOf(look, 'ימין')
    expect(right.x + right.width).toBe(1280)
    expect(boxOf(look, 'Head')).toMatchObject({ y: 500, height: 20 })
    expect(boxOf(look, 'Big')).toEqual({ x: 50, y: 90, width: 200, height: 40 })
    expect(the(look, 'Head').order).toBeGreaterThan(the(look, 'Long').order)
  })

  test('are within the picture of a wide window, which is cut at a lower height', async () => {
    const most = tallestShot(3_840)
    const look = await lookAt(`<p style="margin:0;height:${most + 1_000}px">Long</p><b>Below</b>`, {
      viewport: { width: 3_840, height: 1_000 },
    })
    expect(look).toMatchObject({ isCut: true, shot: { width: 3_840, height: most } })
    expect(boxOf(look, 'Long').height).toBe(most)
    expect(look.elements.some(({ text }) => text === 'Below')).toBe(false)
  })

  test('are found in the HTML as it is parsed, also behind a noscript; others say that they are not', async () => {
    const look = await lookAt(`<noscript><img src="/pixel"></noscript><body><div class="a"><b>One</b></div>
      <p id="p"></p><section><u>After</u></section>
      <script>p.append(Object.assign(document.createElement('div'), { textContent: 'Nested' }))</script>`)
    expect(the(look, 'One')).toMatchObject({ unreadable: null, path: expect.any(Array) })
    expect(the(look, 'After')).toMatchObject({ unreadable: null, path: expect.any(Array) })
    expect(the(look, 'Nested')).toMatchObject({ tag: 'div', path: null, unreadable: 'not_in_html' })
  })

  test('say what no rule reads: frames, shadow roots and canvases', async () => {
    const look = await lookAt(`<iframe srcdoc="<p>Framed</p>"></iframe><canvas width="50" height="50"></canvas>
      <div id="open"></div><div id="closed"></div><script>
      const root = (id, mode) => document.getElementById(id).attachShadow({ mode })
      root('open', 'open').innerHTML = '<b>Opened</b>'
      root('closed', 'closed').innerHTML = '<p style="height:70px">Closed</p>'</script>`)
    const by = (tag: string) => look.elements.filter((one) => one.tag === tag)
    expect(by('iframe')).toMatchObject([{ unreadable: 'frame', text: '' }])
    expect(by('canvas')).toMatchObject([{ unreadable: 'canvas', box: { width: 50, height: 50 } }])
    expect(the(look, 'Opened')).toMatchObject({ tag: 'b', path: null, unreadable: 'shadow_root' })
    const closed = look.elements.filter(({ unreadable }) => unreadable === 'closed_shadow_root')
    expect(closed).toMatchObject([{ tag: 'div', text: '' }])
    expect(closed[0]?.box.height).toBeGreaterThanOrEqual(70)
    expect(JSON.stringify(look.elements)).not.toMatch(/Framed|Closed/)
  })

  test('list what covers the view, such as a cookie wall, and not a header', async () => {
    const look = await lookAt(`<header style="position:fixed;top:0;height:50px;width:100%">Head</header><p>Text</p>
      <div id="wall" style="position:fixed;inset:0;background:#0008">
      <div style="position:fixed;inset:10%">Cookies?</div></div>`)
    expect(look.covers).toEqual([{ element: expect.any(Number), share_pct: 100 }])
    expect(look.elements[look.covers[0]?.element ?? -1]).toMatchObject({ tag: 'div', text: 'Cookies?', parent: 1 })
  })

  test('are those of the HTML when the page changes all the time, and when it has no script', async () => {
    const look = await lookAt(
      `<b id="b">0</b><script>setInterval(() => { b.textContent = String(Date.now()) }, 5)</script>`,
    )
    const shown = look.elements.find(({ tag }) => tag === 'b')?.text ?? ''
    expect(Buffer.from(look.body).toString()).toContain(`<b id="b">${shown}</b>`)
    expect(look.warnings).toEqual([])
    expect(the(await lookAt('<b>Plain</b>'), 'Plain').unreadable).toBeNull()
  })
})

describe('a hostile page', () => {
  test('with very many elements, ids, and long and odd attributes is bounded, with a warning', async () => {
    const odd = `title="&quot;]\n&lt;/script>" class="${'c'.repeat(1_000_000)}"`
    const look = await lookAt(`<p ${odd}>Odd</p>${'<i id="same">x</i> '.repeat(5_000)}${'<b>y</b> '.repeat(9_000)}`)
    expect(look.elements.length).toBe(4_000)
    expect(Buffer.byteLength(JSON.stringify(look.elements))).toBeLessThan(1_048_576)
    expect(the(look, 'Odd')).toMatchObject({ unreadable: null })
    expect(look.warnings).toEqual([
      expect.stringMatching(/elements; the 4,000 nearest/),
      expect.stringMatching(/nodes;/),
    ])
  })

  test('cannot change what is read with prototypes of its own, nor stop it with dialogs', async () => {
    const look = await lookAt(`<b>Real</b><script>
      Element.prototype.getBoundingClientRect = () => ({ x: 1, y: 1, width: 1, height: 1 })
      document.getElementsByTagName = () => ({ length: 1e9 })
      document.getAnimations = () => { throw new Error('no') }
      Object.defineProperty(document.documentElement, 'outerHTML', { get: () => '<p>Faked</p>' })
      JSON.stringify = Array.prototype.map = () => 'no'
      setTimeout(() => { alert('a'); confirm('b'); prompt('c') })</script>`)
    expect(the(look, 'Real')).toMatchObject({ tag: 'b', path: [0, 1, 0], unreadable: null })
    expect(Buffer.from(look.body).toString()).not.toContain('<html>Faked')
  })

  test('that replaces itself is read as it was at one moment, or fails with a reason', async () => {
    const look = await lookAt(`<b>First</b><script>
      setTimeout(() => { document.open(); document.write('<body><b>Second</b>'); document.close() }, 100)</script>`)
    expect(the(look, 'Second')).toMatchObject({ tag: 'b', unreadable: null })
    expect(Buffer.from(look.body).toString()).toContain('Second')
  })

  test('whose elements are more than the browser may send fails, and another page is shown', async () => {
    const url = pageOf(`<b>Real</b><script>
      const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' })
      root.append(document.createComment('c'.repeat(100_000_000)))</script>`)
    await lookAt('<b>Before</b>')
    const first = browsers.current()
    expect(first?.pid).toBeGreaterThan(1)
    const fetched = await renderOne(browsers, { url, looks: true, visual: { enabled: true } })
    expect(fetched).toMatchObject({ ok: false, fault: { code: 'render_failed', message: BROWSER_DIED.message } })
    await first?.ended
    expect(await usageBelow(first?.pid ?? 0)).toEqual([])
    expect(the(await lookAt('<b>Other</b>'), 'Other').unreadable).toBeNull()
  })

  test('with 120,000 elements lists none, and says so', async () => {
    const look = await lookAt(
      `<p></p><script>document.body.innerHTML = '<i></i>'.repeat(120000) + '<b>End</b>'</script>`,
    )
    expect(look.elements).toEqual([])
    expect(look.warnings).toContainEqual(expect.stringMatching(/elements; of a page with more than 100,000 none/))
  })
})
