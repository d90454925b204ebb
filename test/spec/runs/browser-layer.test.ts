import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { endedRuns, runNow, startWatching, type Watching } from '../../support/api/watching.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'

// Each waits for several pages to be rendered.
vi.setConfig({ testTimeout: 180_000 })

let browsers: Browsers
let watching: Watching

beforeAll(async () => {
  browsers = testBrowsers()
  watching = await startWatching({ browsers })
})

afterAll(async () => {
  await watching.close()
  await browsers.close()
})

/** A shell: a script makes its text when it has loaded. A page rests no sooner, however slow the browser is. */
const shell = (price: string) =>
  `<!doctype html><title>Shop</title><div id="root"></div>
   <script>
     addEventListener('load', () => { document.getElementById('root').innerHTML = '<b class="price">${price}</b>' })
   </script>`

/** A page that can be read as it came, and whose script changes what a browser shows. */
const complete = (text: string) =>
  `<!doctype html><title>Article</title><h1 class="title">As sent</h1><p>${text}</p>
   <script>document.querySelector('h1').textContent = 'As shown'</script>`
const PROSE = 'There is enough to read here before any script has run. '.repeat(20)

const PRICE = { extract_config: { method: 'css', fields: { price: '.price' } } }
/** Not due again when the clock is set two days ahead. */
const MONTHLY = { schedule_interval_seconds: 2_592_000 }
const TITLE = { extract_config: { method: 'css', fields: { title: '.title' } } }

interface LayeredRun {
  readonly status: string
  readonly fetch_method: string | null
  readonly fetch_reason: string | null
  readonly warnings: readonly string[]
  readonly extracted: object
  readonly diff: object
  readonly error_message: string | null
}
const layered = (run: unknown) => run as LayeredRun

describe('fetch_mode', () => {
  test('`browser` always renders: the run has what a script wrote, and says that a browser fetched it', async () => {
    const { baseline } = await watching.watch(shell('42'), { ...PRICE, fetch_mode: 'browser' })
    expect(layered(baseline)).toMatchObject({ status: 'success', fetch_method: 'browser', extracted: { price: '42' } })
  })

  test('`browser` renders also what could be read as it came', async () => {
    const { baseline } = await watching.watch(complete(PROSE), { ...TITLE, fetch_mode: 'browser' })
    expect(layered(baseline)).toMatchObject({ fetch_method: 'browser', extracted: { title: 'As shown' } })
  })

  test('`auto` is static first: a page with text is not rendered', async () => {
    const { baseline } = await watching.watch(complete(PROSE), TITLE)
    expect(layered(baseline)).toMatchObject({ fetch_method: 'static', extracted: { title: 'As sent' } })
  })

  test('`auto` goes on to the browser when the response looks empty or script-heavy; it stays one run', async () => {
    const watched = await watching.watch(shell('7'), PRICE)
    expect(layered(watched.baseline)).toMatchObject({
      status: 'success',
      fetch_method: 'browser',
      extracted: { price: '7' },
    })
    expect(await endedRuns(watching.served.me, watched.id, 1)).toHaveLength(1)
  })

  test('`auto` remembers: the next run does not pay the static try again, and a change is seen', async () => {
    const watched = await watching.watch(shell('7'), PRICE)
    const before = watched.requests.length
    watched.set(shell('8'))
    const run = layered(await watched.run())
    expect(run).toMatchObject({ fetch_method: 'browser', diff: { before: { price: '7' }, after: { price: '8' } } })
    // Rendered without its media, and again with them, which decides.
    expect(watched.requests.length - before).toBe(2)
  })

  test('`auto` tries the static layer again after a day, and goes back when it gives the same values', async () => {
    const watched = await watching.watch(shell('7'), { ...PRICE, ...MONTHLY })
    watched.set(`<!doctype html><p class="price">7</p><p>${PROSE}</p>`)
    try {
      await watching.setClock(2 * 86_400)
      const both = layered(await watched.run())
      const after = layered(await watched.run())
      expect([both, after].map((run) => [run.status, run.fetch_method, run.diff])).toEqual([
        ['success', 'browser', {}],
        ['success', 'static', {}],
      ])
    } finally {
      await watching.setClock(0)
    }
  })

  test('`auto` stays with the browser when the page still needs one, and renders it once to see that', async () => {
    const watched = await watching.watch(shell('7'), { ...PRICE, ...MONTHLY })
    try {
      await watching.setClock(2 * 86_400)
      const asked: number[] = []
      for (let runs = 0; runs < 2; runs += 1) {
        const before = watched.requests.length
        expect(layered(await watched.run())).toMatchObject({ fetch_method: 'browser', diff: {} })
        asked.push(watched.requests.length - before)
      }
      // The browser and the static try beside it; then the browser alone, for another day.
      expect(asked).toEqual([2, 1])
    } finally {
      await watching.setClock(0)
    }
  })

  test('`auto` stays with the browser when the static layer would read something else', async () => {
    const watched = await watching.watch(shell('7'), { extract_config: { method: 'full_page' }, ...MONTHLY })
    watched.set(complete(PROSE))
    try {
      await watching.setClock(2 * 86_400)
      const runs = [layered(await watched.run()), layered(await watched.run())]
      expect(runs.map((run) => run.fetch_method)).toEqual(['browser', 'browser'])
      expect(runs[1]?.diff).toEqual({})
    } finally {
      await watching.setClock(0)
    }
  })

  test('`auto` goes on to the browser when the direct request is refused', async () => {
    const page = watching.page('')
    page.set('no robots', 'text/html', 403)
    const { id } = await createMonitor(watching.served.me, { url: page.url, ...TITLE })
    const [run] = await endedRuns(watching.served.me, id, 1)
    expect(layered(run)).toMatchObject({ status: 'error', fetch_method: 'browser' })
    expect(layered(run).error_message).toContain('403')
  })
})

describe('extract config on a rendered page', () => {
  test('css, xpath and full_page see the rendered document', async () => {
    const more = { fetch_mode: 'browser' }
    const css = await watching.watch(shell('9'), { ...more, ...PRICE })
    const xpath = await watching.watch(shell('9'), {
      ...more,
      extract_config: { method: 'xpath', fields: { price: '//b[@class="price"]', count: 'count(//b)' } },
    })
    const whole = await watching.watch(shell('9'), { ...more, extract_config: { method: 'full_page' } })
    expect(css.baseline.extracted).toEqual({ price: '9' })
    expect(xpath.baseline.extracted).toEqual({ price: '9', count: 1 })
    const hash = whole.baseline.extracted
    whole.set(shell('10'))
    expect((await whole.run()).extracted).not.toEqual(hash)
  })

  test('regex runs against the document’s HTML', async () => {
    const { baseline } = await watching.watch(
      `<!doctype html><p>${PROSE}</p><div id="made"></div><script>document.getElementById('made').innerHTML = ` +
        `'<i>' + 6 * 7 + '</i>'</script>`,
      { fetch_mode: 'browser', extract_config: { method: 'regex', fields: { made: '<i>(\\d+)</i>' } } },
    )
    expect(baseline.extracted).toEqual({ made: '42' })
  })

  test('json_path reads the answer itself, not the browser’s view of it', async () => {
    const { baseline } = await watching.watch({ value: 5, other: null }, { fetch_mode: 'browser' })
    expect(layered(baseline)).toMatchObject({ fetch_method: 'browser', extracted: { value: 5, other: null } })
  })
})

describe('request_config', () => {
  test('a monitor with one is always fetched directly, also when its fetch_mode is browser', async () => {
    const watched = await watching.watch({ value: 1, other: 2 }, { fetch_mode: 'browser', request_config: {} })
    expect(layered(watched.baseline).fetch_method).toBe('static')
    expect(layered(await runNow(watching.served.me, watched.id)).fetch_method).toBe('static')
  })
})

describe('fetch_reason', () => {
  test('is null for a direct request, and says `configured` where the configuration asks for the browser', async () => {
    const direct = await watching.watch(complete(PROSE), TITLE)
    expect(layered(direct.baseline)).toMatchObject({ fetch_method: 'static', fetch_reason: null })
    const rendered = await watching.watch(complete(PROSE), { ...TITLE, fetch_mode: 'browser' })
    expect(layered(rendered.baseline)).toMatchObject({ fetch_method: 'browser', fetch_reason: 'configured' })
  })

  test('says why `auto` went on to the browser, also in the runs that only remember it', async () => {
    const made = await watching.watch(shell('7'), PRICE)
    expect(layered(made.baseline).fetch_reason).toBe('needs_scripts')
    expect(layered(await made.run())).toMatchObject({ fetch_method: 'browser', fetch_reason: 'needs_scripts' })
    const refused = watching.page('')
    refused.set('no robots', 'text/html', 403)
    const { id } = await createMonitor(watching.served.me, { url: refused.url, ...TITLE })
    const [run] = await endedRuns(watching.served.me, id, 1)
    expect(layered(run)).toMatchObject({ status: 'error', fetch_method: 'browser', fetch_reason: 'refused' })
  })
})

describe('an answer that is compressed with br', () => {
  const asked: (string | undefined)[] = []
  const site = createServer((request, response) => {
    asked.push(request.headers['accept-encoding'])
    const body = brotliCompressSync(complete(PROSE))
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'br' }).end(body)
  })
  beforeAll(() => new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => site.close(resolve)))
  const url = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const first = async (more: object) => {
    const { id } = await createMonitor(watching.served.me, { url: url(), ...TITLE, ...more })
    return layered((await endedRuns(watching.served.me, id, 1))[0])
  }

  test('goes on to the browser under `auto`, also where the user asked for it', async () => {
    const read = { status: 'success', fetch_method: 'browser', fetch_reason: 'encoding' }
    expect(await first({})).toMatchObject({ ...read, extracted: { title: 'As shown' } })
    asked.length = 0
    expect(await first({ request_headers: { 'Accept-Encoding': 'br' } })).toMatchObject(read)
    expect(asked.slice(0, 2)).toEqual(['br', 'br'])
  })

  test('fails where only a direct request may be made', async () => {
    const run = await first({ request_config: { method: 'GET' } })
    expect(run).toMatchObject({ status: 'error', fetch_method: 'static' })
    expect(run.error_message).toContain('content encoding "br"')
  })
})

test('request headers that cannot be sent are a warning on the run, in either layer', async () => {
  const request_headers = { Expect: '100-continue', TE: 'trailers', 'X-Key': 'k' }
  for (const fetch_mode of ['auto', 'browser']) {
    const { baseline, requests } = await watching.watch(complete(PROSE), { ...TITLE, fetch_mode, request_headers })
    expect(layered(baseline).warnings).toEqual([expect.stringContaining('"Expect", "TE"')])
    expect(requests[0]).toMatchObject({ 'x-key': 'k' })
    expect(requests[0]).not.toHaveProperty('expect')
  }
})
