import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { faultOf, htmlOf, NEVER, renderOne, testBrowsers } from '../../support/browser/test-browsers.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 240_000 })

let site: Site
let browsers: Browsers

beforeAll(async () => {
  site = await openSite({ otherwise: status(404) })
  browsers = testBrowsers({ processMb: 400, pages: 6 })
})

afterAll(async () => {
  await browsers.close()
  await site[Symbol.asyncDispose]()
})

const plain = () => site.page('/plain', '<!doctype html><p>still here</p>')
const askedFor = (path: string) => site.requests.filter(({ url }) => url === path).length
const NO_ANSWER =
  ' took the request and did not begin to answer: no data came for too long. It is tried again at the next run.'
const script = (code: string) => `<!doctype html><p id="p">page</p><script>${code}</script>`

/** The next page is served, by whatever browser there is then. */
async function nextIsFine(): Promise<void> {
  expect(htmlOf(await renderOne(browsers, plain()))).toContain('still here')
}

describe('a page that', () => {
  test('was never asked, for its time was over before a browser ran, is not called slow', async () => {
    const cold = testBrowsers()
    try {
      const rendered = await renderOne(cold, site.page('/unasked', '<p>page</p>'), 1)
      expect(rendered).toMatchObject({
        fault: { code: 'timeout', message: expect.stringContaining('not ready to ask') },
      })
      expect(askedFor('/unasked')).toBe(0)
    } finally {
      await cold.close()
    }
  })

  test('loops for ever fails within its limit, and so does one that begins to when it has loaded', async () => {
    const loop = site.page('/loop', script('for (;;) {}'))
    const later = site.page('/later', script('setTimeout(() => { for (;;) {} }, 100)'))
    // A browser that runs: the limits are for the pages, which have to begin within them.
    await nextIsFine()
    const both = await Promise.all([renderOne(browsers, loop, 10_000), renderOne(browsers, later, 10_000)])
    for (const one of both)
      expect(one).toMatchObject({ fault: { code: 'timeout', message: expect.stringContaining('busy') } })
    await nextIsFine()
  })

  test('does not hold up another one that is rendered beside it', async () => {
    const calledOff = new AbortController()
    const url = site.page('/loop-beside', script('for (;;) {}'))
    const loop = browsers.render(
      { url, headers: null, visual: null },
      { signal: calledOff.signal, deadlineMs: 200_000 },
    )
    const ended: string[] = []
    void loop.then(() => ended.push('the loop'))
    await eventually(
      () => askedFor('/loop-beside'),
      (count) => count > 0,
    )
    await nextIsFine()
    expect(ended).toEqual([])
    calledOff.abort()
    expect((await loop).ok).toBe(false)
  })

  test('eats memory is ended with the reason before the machine has none left', async () => {
    const url = site.page('/eats', script('const all = []; for (;;) all.push(new Uint8Array(4e6).fill(1))'))
    expect(await renderOne(browsers, url, 120_000)).toMatchObject({
      fault: { code: 'render_failed', message: expect.stringContaining('memory') },
    })
    await nextIsFine()
  })

  test('fills the heap of its scripts is ended with the reason', async () => {
    const url = site.page('/heap', script('const all = []; for (let i = 0; ; i++) all.push({ i, s: "s" + i })'))
    expect(await renderOne(browsers, url, 120_000)).toMatchObject({
      // Of the heap or of the whole process, whichever is noticed first.
      fault: { code: 'render_failed', message: expect.stringMatching(/more than (200|400) MB of memory/) },
    })
    await nextIsFine()
  })

  test('starts 200 web workers that never rest is ended with the reason, and its browser is replaced', async () => {
    const spinning = `URL.createObjectURL(new Blob(['for(;;);']))`
    const url = site.page('/workers', script(`for (let n = 0; n < 200; n++) new Worker(${spinning})`))
    const from = performance.now()
    const before = browsers.current()?.pid
    expect(await renderOne(browsers, url)).toMatchObject({
      fault: {
        code: 'render_failed',
        message: expect.stringContaining('more than 30 s of processor time or 64 threads'),
      },
    })
    expect(performance.now() - from).toBeLessThan(30_000)
    await nextIsFine()
    expect(browsers.current()?.pid).not.toBe(before)
  })

  test('loops for ever is ended when its processor time is used up', async () => {
    const strict = testBrowsers({ work: { cpuSeconds: 2, threads: 64 } })
    try {
      expect(await renderOne(strict, site.page('/busy', script('for (;;);')))).toMatchObject({
        fault: { code: 'render_failed', message: expect.stringContaining('more than 2 s of processor time') },
      })
    } finally {
      await strict.close()
    }
  })

  test('takes its document apart is read as what is left, or fails with a reason', async () => {
    const apart = site.page('/apart', script('addEventListener("load", () => document.documentElement.remove())'))
    for (const visual of [null, { enabled: true }])
      expect(faultOf(await renderOne(browsers, { url: apart, visual }))).not.toBe('internal')
  })

  test('opens fifty windows has them closed', async () => {
    const url = site.page(
      '/windows',
      script(`for (let i = 0; i < 50; i++) window.open('/plain?' + i, 'w' + i); p.textContent = 'opened'`),
    )
    plain()
    expect(htmlOf(await renderOne(browsers, url))).toContain('opened')
    await nextIsFine()
  })

  test('asks for permissions gets none, and gets no service worker', async () => {
    const code = `(async () => {
      const out = []
      out.push(typeof Notification === 'function' ? await Notification.requestPermission() : 'absent')
      out.push(await new Promise((done) => navigator.geolocation ? navigator.geolocation.getCurrentPosition(() =>
        done('located'), (e) => done('refused ' + e.code), { timeout: 2000 }) : done('absent')))
      out.push(await (navigator.mediaDevices ? navigator.mediaDevices.getUserMedia({ video: true }).then(() =>
        'filmed', () => 'refused') : 'absent'))
      await navigator.serviceWorker?.register('/sw.js').catch(() => 0)
      out.push(String((await navigator.serviceWorker?.getRegistrations() ?? []).length) + ' workers')
      p.textContent = out.join(', ')
    })()`
    site.page('/sw.js', (response) => void response.setHeader('content-type', 'text/javascript').end('1'))
    const html = htmlOf(await renderOne(browsers, site.page('/asks', script(code))))
    const said = /<p id="p">(.*?)<\/p>/.exec(html)?.[1]
    expect(said).toMatch(/, 0 workers$/)
    expect(said).not.toMatch(/granted|located|filmed/)
  })

  test('downloads files leaves nothing behind', async () => {
    site.page(
      '/a.bin',
      (response) => void response.writeHead(200, { 'content-disposition': 'attachment; filename=a.bin' }).end('x'),
    )
    const url = site.page(
      '/downloads',
      script(
        `for (let i = 0; i < 5; i++) { const a = document.createElement('a'); a.href = '/a.bin?' + i; a.download ` +
          `= 'a'; a.click() } p.textContent = 'clicked'`,
      ),
    )
    expect(htmlOf(await renderOne(browsers, url))).toContain('clicked')
  })

  test('is a PDF is called one, with what to do; another file is called a download', async () => {
    const file = (path: string, type: string) =>
      site.page(path, (response) => void response.writeHead(200, { 'content-type': type }).end('%PDF-1.7\n%%EOF\n'))
    const report = file('/report', 'application/pdf; qs=0.1')
    const pdf = await renderOne(browsers, { url: report, unrendered: 'set fetch_mode to auto' })
    expect(pdf).toMatchObject({ ok: false, fault: { code: 'wrong_type' } })
    expect(pdf.ok ? '' : pdf.fault.message).toMatch(/leads to a PDF, which is not rendered.* set fetch_mode to auto/)
    const other = await renderOne(browsers, file('/a.bin2', 'application/octet-stream'))
    expect(other.ok ? '' : other.fault.message).toMatch(/leads to a file that a browser downloads/)
  })

  test('goes to a file, to a page of the browser or into its own source does not get there', async () => {
    for (const target of [
      'file:///etc/passwd',
      'chrome://version',
      'view-source:' + site.origin,
      'data:text/html,<h1>data</h1>',
      'devtools://devtools/bundled/inspector.html',
    ]) {
      const url = site.page(
        '/goes',
        script(`location.href = ${JSON.stringify(target)}; open(${JSON.stringify(target)})`),
      )
      const rendered = await renderOne(browsers, url)
      if (rendered.ok) expect([rendered.finalUrl, htmlOf(rendered).includes('root:')]).toEqual([url, false])
    }
    for (const url of [
      'file:///etc/passwd',
      'chrome://version',
      'data:text/html,x',
      'about:blank',
      'view-source:http://example.com/',
    ])
      expect(faultOf(await renderOne(browsers, url))).toBe('target_not_allowed')
  })

  test('redirects to a private address fails, and the address is never connected to', async () => {
    const inside = await openSite({ address: '127.0.0.2', otherwise: status(404) })
    try {
      inside.page('/', '<p>secret</p>')
      const byStatus = site.page(
        '/to-private',
        (response) => void response.writeHead(302, { location: `${inside.origin}/` }).end(),
      )
      const byScript = site.page('/script-to-private', script(`location.href = '${inside.origin}/'`))
      const metadata = site.page(
        '/to-metadata',
        (response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end(),
      )
      expect(faultOf(await renderOne(browsers, byStatus))).toBe('target_not_allowed')
      expect(faultOf(await renderOne(browsers, byScript))).toBe('target_not_allowed')
      expect(faultOf(await renderOne(browsers, metadata))).toBe('target_not_allowed')
      expect(inside.requests).toEqual([])
    } finally {
      await inside[Symbol.asyncDispose]()
    }
  })
})

// Each takes as long as a page may, so they do it side by side.
describe.concurrent('a page that without end', () => {
  test('goes on to another says so or is read between two, whether there are pictures to take or not', async () => {
    const url = site.page('/reloads', script(`location.href = '/reloads?' + Math.random()`))
    const visual = { enabled: true }
    for (const rendered of await Promise.all([renderOne(browsers, url), renderOne(browsers, { url, visual })])) {
      // A busy machine takes so long from one to the next that the page may rest between them.
      if (rendered.ok) expect(htmlOf(rendered)).toContain('location.href')
      else
        expect(rendered.fault).toMatchObject({
          code: 'render_failed',
          message: expect.stringContaining('keeps redirecting'),
        })
    }
    await nextIsFine()
  })

  test('gives no answer fails with the name of the host that gave none, whichever limit ends it', async () => {
    const silent = await openSite({ otherwise: status(404) })
    try {
      // A browser that runs: the limits are for the page.
      await nextIsFine()
      const url = site.page('/silent', () => {})
      const end = silent.page('/silent', () => {})
      const leading = site.page('/to-silent', (response) => void response.writeHead(302, { location: end }).end())
      const ended: string[] = []
      const [short, long] = await Promise.all([
        renderOne(browsers, url, 12_000).finally(() => ended.push('its own limit')),
        renderOne(browsers, leading).finally(() => ended.push('the limit of every navigation')),
      ])
      expect(short).toMatchObject({ fault: { code: 'timeout', message: new URL(url).host + NO_ANSWER } })
      expect(long).toMatchObject({ fault: { code: 'timeout', message: new URL(end).host + NO_ANSWER } })
      expect(ended).toEqual(['its own limit', 'the limit of every navigation'])
      expect(askedFor('/silent')).toBe(1)
      await nextIsFine()
    } finally {
      await silent[Symbol.asyncDispose]()
    }
  })

  test('is too busy for a picture says so', async () => {
    // From when it is prepared for the picture, which a page can see.
    const busy = `
      function frame() { const at = Date.now(); while (Date.now() - at < 3000); requestAnimationFrame(frame) }
      new MutationObserver(([{ addedNodes: [node] }], watch) => {
        if (node?.nodeName === 'STYLE') { watch.disconnect(); frame() }
      }).observe(document, { subtree: true, childList: true })`
    const url = site.page('/frames', script(busy))
    const rendered = await renderOne(browsers, { url, visual: { enabled: true } }, 120_000)
    expect(rendered).toMatchObject({
      fault: { code: 'timeout', message: expect.stringContaining('too busy to take its picture') },
    })
    await nextIsFine()
  })
})

describe('the browser', () => {
  test('is replaced when it is killed: pages in it are rendered again by the next one', async () => {
    // The first browser to ask has no answer while it lives.
    const stalled = site.page('/slow', (response) => void (askedFor('/slow') > 1 && response.end('<p>slow</p>')))
    await nextIsFine()
    const first = browsers.current()?.pid ?? 0
    const slow = renderOne(browsers, stalled)
    await eventually(
      () => askedFor('/slow'),
      (count) => count > 0,
    )
    process.kill(-first, 'SIGKILL')
    expect(htmlOf(await slow)).toContain('slow')
    expect(browsers.current()?.pid).not.toBe(first)
  })

  test('is replaced when it hangs', async () => {
    await nextIsFine()
    const first = browsers.current()?.pid ?? 0
    process.kill(first, 'SIGSTOP')
    expect(faultOf(await renderOne(browsers, plain(), 1_000))).toBe('timeout')
    await nextIsFine()
    expect(browsers.current()?.pid).not.toBe(first)
  })

  test('is replaced after so many pages, and after so long, without a page noticing', async () => {
    for (const recycle of [{ pages: 1 }, { ageMs: 1 }, { megabytes: 1 }]) {
      const lines: string[] = []
      const few = testBrowsers({
        recycle,
        pages: 2,
        log: createLogger('info', { write: (line) => void lines.push(line) }),
      })
      for (let i = 0; i < 3; i++) {
        expect(htmlOf(await renderOne(few, plain()))).toContain('still here')
        // What it occupies is measured a few times a second.
        if ('megabytes' in recycle)
          await eventually(
            () => few.current(),
            (browser) => browser === null,
          )
      }
      await few.close()
      expect(lines.filter((line) => line.includes('a browser was started'))).toHaveLength(3)
    }
  })

  test('is gone with its profile after a close, and a render under way ends', async () => {
    const own = testBrowsers()
    await renderOne(own, plain())
    const pid = own.current()?.pid ?? 0
    const waiting = renderOne(
      own,
      site.page('/silent', () => {}),
    )
    await own.close()
    expect((await waiting).ok).toBe(false)
    await eventually(
      () => readFile(`/proc/${pid}/cmdline`).catch(() => null),
      (line) => line === null || line.length === 0,
    )
    expect((await renderOne(own, plain())).ok).toBe(false)
  })

  test('is not waited for by a check that is called off', async () => {
    const calledOff = new AbortController()
    const under = browsers.render(
      { url: site.page('/called-off', () => {}), headers: null, visual: null },
      { signal: calledOff.signal },
    )
    await eventually(
      () => askedFor('/called-off'),
      (count) => count > 0,
    )
    calledOff.abort()
    // A page that is waited for ends with `timeout`.
    expect(faultOf(await under)).toBe('internal')
    expect((await browsers.render({ url: plain(), headers: null, visual: null }, { signal: NEVER })).ok).toBe(true)
  })

  test('that cannot be had is a clear answer with what to do', async () => {
    const none = testBrowsers({ path: '/no/such/chromium' })
    expect(await renderOne(none, plain())).toMatchObject({
      fault: { code: 'not_available', message: expect.stringContaining('CHROMIUM_PATH') },
    })
    const odd = testBrowsers({ path: '/bin/true' })
    expect(await renderOne(odd, plain())).toMatchObject({ fault: { code: 'not_available' } })
    await Promise.all([none.close(), odd.close()])
  })

  test.each([
    ['No usable sandbox! If you are running on', 'user namespaces are refused'],
    ['x: error while loading shared libraries: libnss3.so: cannot open shared object file', 'libnss3.so is missing'],
    ['Something else went wrong', 'Something else went wrong'],
  ])('that says %s on its end fails with words that help', async (said, message) => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-chromium-'))
    const path = join(folder, 'chromium')
    await writeFile(path, `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 })
    await chmod(folder, 0o755)
    const own = testBrowsers({ path })
    try {
      expect(await renderOne(own, plain())).toMatchObject({
        fault: { code: 'not_available', message: expect.stringContaining(message) },
      })
    } finally {
      await own.close()
      await rm(folder, { recursive: true })
    }
  })
})
