import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { usageBelow } from '../../../runners/browser/chromium/process-usage.ts'
import type { Rendered } from '../../../runners/browser/page/rendered.ts'
import { faultOf, htmlOf, renderOne, testBrowsers } from '../../support/browser/test-browsers.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 60_000 })

let site: Site
let elsewhere: Site
let browsers: Browsers

beforeAll(async () => {
  ;[site, elsewhere] = await Promise.all([openSite({ otherwise: status(404) }), openSite({ otherwise: status(404) })])
  browsers = testBrowsers({ pages: 8 })
})

afterAll(async () => {
  await browsers.close()
  await Promise.all([site[Symbol.asyncDispose](), elsewhere[Symbol.asyncDispose]()])
})

const messageOf = (rendered: Rendered) => (rendered.ok ? '' : rendered.fault.message)
const script = (code: string, rest = '') => `<!doctype html><p id="p">sent</p>${rest}<script>${code}</script>`

describe('waiting for what a monitor waits for', () => {
  const late = (ms: number) => script(`setTimeout(() => { p.outerHTML = '<b class="late">' + 'come' + '</b>' }, ${ms})`)

  test('what comes seconds after the page is quiet is seen only when it is waited for', async () => {
    const url = site.page('/late', late(3_000))
    expect(htmlOf(await renderOne(browsers, url))).not.toContain('come</b>')
    const waited = await renderOne(browsers, { url, waitFor: 'b.late' })
    expect(htmlOf(waited)).toContain('<b class="late">come</b>')
    expect(waited.durationMs).toBeLessThan(20_000)
  })

  test('what is there at once costs no wait', async () => {
    const url = site.page('/there', late(0))
    const rendered = await renderOne(browsers, { url, waitFor: '.late' })
    expect(htmlOf(rendered)).toContain('come</b>')
  })

  test('what never comes fails within half of the time that is left, and says what was waited for', async () => {
    const url = site.page('/never-late', late(600_000))
    const startedAt = performance.now()
    const rendered = await renderOne(browsers, { url, waitFor: 'b.late' }, 12_000)
    expect(faultOf(rendered)).toBe('timeout')
    expect(messageOf(rendered)).toMatch(
      /^Nothing on the page of 127\.0\.0\.1:\d+ matched wait_for \(b\.late\) within \d s/,
    )
    expect(performance.now() - startedAt).toBeLessThan(12_000)
  })

  test('a selector that only Chromium does not know is a bad rule', async () => {
    const url = site.page('/odd', late(0))
    const rendered = await renderOne(browsers, { url, waitFor: 'p:contains("x")' })
    expect(faultOf(rendered)).toBe('bad_rule')
    expect(messageOf(rendered)).toContain('p:contains("x")')
  })

  test('an error page and an answer that is not HTML are not waited for', async () => {
    const gone = site.page('/gone-late', status(404))
    expect(faultOf(await renderOne(browsers, { url: gone, waitFor: '.late' }))).toBe('http_status')
    const data = site.page('/data-late', (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'),
    )
    expect(htmlOf(await renderOne(browsers, { url: data, waitFor: '.late' }))).toBe('{"a":1}')
  })

  test('a document that replaces the first one is waited for as well', async () => {
    const second = site.page('/second-late', late(1_500))
    const url = site.page('/first-late', script(`setTimeout(() => location.replace(${JSON.stringify(second)}), 1_000)`))
    expect(htmlOf(await renderOne(browsers, { url, waitFor: '.late' }))).toContain('come</b>')
  })
})

describe('what is seen of a page', () => {
  const SHADOWS = `
    const open = host.attachShadow({ mode: 'open' })
    open.innerHTML = '<i class="in-open">open</i><slot></slot>'
    shut.attachShadow({ mode: 'closed' }).innerHTML = '<i class="in-closed">closed</i>'
    hidden.textContent = 'hidden text'; field.value = 'typed'`

  test('the document is; shadow roots and frames are not, and nothing in them is waited for', async () => {
    const inner = site.page('/inner', '<i class="in-frame">framed</i>')
    const url = site.page(
      '/shadows',
      script(
        SHADOWS,
        '<div id="host"><u class="slotted">slotted</u></div><div id="shut"></div><p id="hidden" style="display:none">' +
          '</p><input id="field"><div><template shadowrootmode="open"><i class="declared">d</i></template></div>' +
          `<iframe src="${inner}"></iframe><iframe srcdoc="<i class=in-srcdoc>source</i>"></iframe>`,
      ),
    )
    const body = htmlOf(await renderOne(browsers, url)).replace(/<script>[^]*<\/script>|srcdoc="[^"]*"/g, '')
    for (const seen of ['slotted', 'hidden text']) expect(body).toContain(seen)
    for (const unseen of ['in-open', 'in-closed', 'declared', 'in-frame', 'in-srcdoc', 'typed'])
      expect(body).not.toContain(unseen)
    for (const waitFor of ['.in-open', '.in-frame', '.declared']) {
      expect(messageOf(await renderOne(browsers, { url, waitFor }, 8_000))).toContain(waitFor)
    }
  })
})

describe('waiting for a page to rest', () => {
  test('what comes by three requests, one after the other, is waited for', async () => {
    site.page('/data', (response) => void setTimeout(() => response.end('x'), 150))
    const url = site.page(
      '/chain',
      script(`(async () => { for (const n of [1, 2, 3]) { await fetch('/data'); p.textContent = 'step ' + n } })()`),
    )
    expect(htmlOf(await renderOne(browsers, url))).toContain('step 3')
  })

  test('a page that polls without end and changes nothing is done in seconds', async () => {
    site.page('/poll', (response) => void setTimeout(() => response.end('{}'), 40))
    const url = site.page('/polls', script(`setInterval(() => fetch('/poll'), 50); p.textContent = 'shown'`))
    const startedAt = performance.now()
    expect(htmlOf(await renderOne(browsers, url))).toContain('shown')
    expect(performance.now() - startedAt).toBeLessThan(11_000)
  })

  test('a font and a picture that never come do not hold it', async () => {
    site.page('/never', () => {})
    const url = site.page(
      '/slow-font',
      `<!doctype html><style>@font-face { font-family: F; src: url(/never) } p { font-family: F ` +
        `}</style><p>text</p><img src="/never"><script>1</script>`,
    )
    const startedAt = performance.now()
    expect(htmlOf(await renderOne(browsers, url))).toContain('<p>text</p>')
    expect(performance.now() - startedAt).toBeLessThan(11_000)
  })

  test('a cookie banner, dialogs and a window that asks before it goes do not hold it', async () => {
    const code =
      `alert(1); confirm(2); prompt(3); addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue ` +
      `= 'no' }); p.textContent = 'after dialogs'`
    const url = site.page('/dialogs', script(code, '<div style="position:fixed;inset:0">We value your privacy</div>'))
    expect(htmlOf(await renderOne(browsers, url))).toContain('after dialogs')
  })

  test('a page that goes on to another by script or meta refresh is that other page', async () => {
    const last = site.page('/last', '<!doctype html><h1>arrived</h1>')
    const second = site.page('/second', `<meta http-equiv="refresh" content="0; url=${last}"><script>1</script>`)
    const first = site.page('/first', script(`location.href = ${JSON.stringify(second)}`))
    const rendered = await renderOne(browsers, first)
    expect(htmlOf(rendered)).toContain('arrived')
    expect(rendered.ok && [rendered.finalUrl, rendered.redirected]).toEqual([last, true])
  })

  test('a document that a script opens again and never closes is read as it stands, with a warning', async () => {
    const url = site.page(
      '/opened',
      script(`setTimeout(() => { document.open(); document.write('<p>written anew') }, 100)`),
    )
    const startedAt = performance.now()
    const rendered = await renderOne(browsers, url)
    expect(htmlOf(rendered)).toContain('written anew')
    expect(rendered).toMatchObject({ warnings: [expect.stringContaining('never closed it')] })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  test('a navigation to a file or to nothing, later, leaves the page as it is', async () => {
    site.page('/later-none', (response) => void response.writeHead(204).end())
    site.page('/later-file', (response) => {
      const headers = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename=a' }
      response.writeHead(200, headers).end('bytes')
    })
    for (const path of ['/later-file', '/later-none']) {
      const url = site.page(`${path}-page`, script(`setTimeout(() => { location.href = '${path}' }, 200)`))
      const rendered = await renderOne(browsers, url)
      expect(htmlOf(rendered)).toContain('sent')
      expect(rendered).toMatchObject({ status: 200, finalUrl: url })
    }
  })

  test('an address that the page makes up for itself is not where it came from', async () => {
    const url = site.page('/made-up', script(`history.pushState({}, '', '/nowhere'); location.hash = 'x'`))
    expect(await renderOne(browsers, url)).toMatchObject({ ok: true, status: 200, finalUrl: url })
  })
})

// Each waits for as long as a page may take, so they do it side by side.
describe.concurrent('what does not come to rest', () => {
  test('a clock that ticks in the page, and polling beside it, end with what there is', async () => {
    const url = site.page(
      '/ticks',
      script(`setInterval(() => { p.textContent = Date.now() }, 30); setInterval(() => fetch('/never'), 60)`),
    )
    const startedAt = performance.now()
    expect(htmlOf(await renderOne(browsers, url))).toContain('id="p"')
    expect(performance.now() - startedAt).toBeLessThan(25_000)
  })

  test('a script that never comes and holds the rest of the document up is a timeout that says so', async () => {
    site.page('/never', () => {})
    const url = site.page('/held', '<!doctype html><p>beginning</p><script src="/never"></script><p>rest</p>')
    expect(await renderOne(browsers, url)).toMatchObject({
      fault: { code: 'timeout', message: expect.stringContaining('did not finish loading') },
    })
  })

  test('a document that never ends is a timeout that says so', async () => {
    const url = site.page('/endless', (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<!doctype html><p>beginning')
      const timer = setInterval(() => response.write('<i>more</i>'), 100)
      response.once('close', () => clearInterval(timer))
    })
    expect(await renderOne(browsers, url, 20_000)).toMatchObject({
      fault: { code: 'timeout', message: expect.stringContaining('did not finish loading') },
    })
  })
})

describe('what the user sends', () => {
  test('request headers go to the origin of the target, with its parts, and to no other', async () => {
    elsewhere.page('/theirs.js', (response) => void response.setHeader('access-control-allow-origin', '*').end('1'))
    site.page('/own.js', (response) => void response.end('1'))
    const url = site.page(
      '/headers',
      `<!doctype html><p>x</p><script src="/own.js"></script><script src="${elsewhere.origin}/theirs.js"></script>`,
    )
    const before = [site.requests.length, elsewhere.requests.length]
    await renderOne(browsers, { url, headers: { 'X-Api-Key': 'secret', 'User-Agent': 'mine', Cookie: 'no=1' } })
    const own = site.requests.slice(before[0]).filter(({ url: path }) => path !== '/favicon.ico')
    const theirs = elsewhere.requests.slice(before[1])
    expect(
      own.map(({ url: path, headers }) => [path, headers['x-api-key'], headers['user-agent'], headers.cookie]),
    ).toEqual([
      ['/headers', 'secret', 'mine', undefined],
      ['/own.js', 'secret', 'mine', undefined],
    ])
    expect(theirs.map(({ headers }) => headers['x-api-key'])).toEqual([undefined])
  })

  test('a redirect to another origin does not take them along', async () => {
    const there = elsewhere.page('/there', '<!doctype html><p>there</p>')
    const url = site.page('/away', (response) => void response.writeHead(302, { location: there }).end())
    const before = elsewhere.requests.length
    expect(htmlOf(await renderOne(browsers, { url, headers: { 'X-Api-Key': 'secret' } }))).toContain('there')
    const asked = elsewhere.requests.slice(before)
    expect(asked[0]?.url).toBe('/there')
    expect(asked.map(({ headers }) => headers['x-api-key'])).toEqual(asked.map(() => undefined))
  })
})

describe('a page that is rendered without its media', () => {
  const PARTS = ['/kettle.png', '/back.png', '/own.woff2', '/bell.mp3']
  const html = `<!doctype html><style>
      @font-face { font-family: Own; src: url(/own.woff2) } body { font-family: Own; background: url(/back.png) }
    </style><img src="/kettle.png" alt="" onload="this.alt = this.naturalWidth"><audio autoplay src="/bell.mp3"></audio>
    <p>text</p><script src="/own.js"></script>`

  test.each([null, { 'X-Api-Key': 'secret' }])('asks for no part of them, with the headers %o', async (headers) => {
    for (const path of PARTS) site.page(path, (response) => void response.end('none'))
    site.page('/own.js', (response) => void response.end('1'))
    const url = site.page('/media', html)
    const before = site.requests.length
    const body = htmlOf(await renderOne(browsers, { url, headers, withoutMedia: true }))
    // The page learns that its image was loaded.
    expect(body).toContain('alt="1"')
    const asked = site.requests.slice(before).filter(({ url: path }) => path !== '/favicon.ico')
    expect(asked.map(({ url: path, headers: sent }) => [path, sent['x-api-key']])).toEqual(
      ['/media', '/own.js'].map((path) => [path, headers?.['X-Api-Key']]),
    )
    await renderOne(browsers, { url, headers })
    const all = site.requests.slice(before).map(({ url: path }) => path)
    expect(all).toEqual(expect.arrayContaining(PARTS))
  })
})

describe('what a site answers', () => {
  test.each([
    [401, 'blocked'],
    [403, 'blocked'],
    [429, 'blocked'],
    [404, 'http_status'],
    [500, 'http_status'],
  ])('status %i is %s, as in the static layer', async (status, code) => {
    const url = site.page(
      `/status-${status}`,
      (response) => void response.writeHead(status, { 'content-type': 'text/html' }).end('<p>no'),
    )
    expect(await renderOne(browsers, url)).toMatchObject({ ok: false, status, fault: { code } })
  })

  test('a challenge that lets the browser through is none', async () => {
    let asked = 0
    const url = site.page('/challenge', (response) => {
      const isFirst = asked++ === 0
      response.writeHead(isFirst ? 403 : 200, { 'content-type': 'text/html' })
      response.end(
        isFirst
          ? '<script src="/cdn-cgi/challenge-platform/x"></script><script>setTimeout(() => location.reload(), ' +
              '100)</script>'
          : '<p>in</p>',
      )
    })
    expect(htmlOf(await renderOne(browsers, url))).toContain('<p>in</p>')
  })

  test('a challenge that stays is blocked, and says that it is one', async () => {
    const url = site.page('/wall', (response) => {
      response
        .writeHead(403, { 'content-type': 'text/html' })
        .end('<p>Checking your browser</p><script src="/cdn-cgi/challenge-platform/x"></script>')
    })
    expect(await renderOne(browsers, url)).toMatchObject({
      fault: { code: 'blocked', message: expect.stringContaining('challenge') },
    })
  })

  test('Retry-After of a 429 is reported', async () => {
    const url = site.page('/wait', (response) => void response.writeHead(429, { 'retry-after': '7' }).end('wait'))
    expect(await renderOne(browsers, url)).toMatchObject({ retryAfterMs: 7_000 })
  })

  test.each(['', ' \n '])(
    'a page of %j is an empty body, as in the static layer; one that a script empties is not',
    async (sent) => {
      const none = site.page('/empty', (response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(sent)
      })
      expect(faultOf(await renderOne(browsers, none))).toBe('empty_body')
      const emptied = site.page('/emptied', '<script>document.currentScript.remove()</script>')
      expect(htmlOf(await renderOne(browsers, emptied))).toBe('<html><head></head><body></body></html>')
    },
  )

  test('nothing at all is an empty body; a file is no page', async () => {
    const none = site.page('/none', (response) => void response.writeHead(204).end())
    const file = site.page('/file', (response) => {
      response
        .writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' })
        .end('bytes')
    })
    expect(faultOf(await renderOne(browsers, none))).toBe('empty_body')
    expect(faultOf(await renderOne(browsers, file))).toBe('wrong_type')
  })

  test('a port where nothing listens and a name that is not there say so', async () => {
    const closed = await openSite({ otherwise: status(404) })
    await closed[Symbol.asyncDispose]()
    expect(faultOf(await renderOne(browsers, `${closed.origin}/`))).toBe('connect_failed')
    expect(faultOf(await renderOne(browsers, 'http://no-such-host.invalid/'))).toBe('dns_failed')
  })

  test('an answer that is cut off before its headers is a failed connection', async () => {
    const url = site.page('/cut', (response) => void response.socket?.destroy())
    expect(faultOf(await renderOne(browsers, url))).toBe('connect_failed')
  })

  test('a document of more than 10 MiB is too large, whether it was sent or made', async () => {
    const made = site.page('/made-large', script(`p.hidden = true; p.textContent = 'x'.repeat(11 * 1024 * 1024)`))
    const sent = site.page('/sent-large', `<!doctype html><p hidden>${'x'.repeat(11 * 1024 * 1024)}</p>`)
    expect(faultOf(await renderOne(browsers, made))).toBe('too_large')
    expect(faultOf(await renderOne(browsers, sent))).toBe('too_large')
  })

  test('two pages share nothing: a cookie of one is not sent by the next', async () => {
    const url = site.page('/cookie', (response, request) => {
      response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'seen=1' })
        .end(`<p>${request.headers.cookie ?? 'new'}</p>`)
    })
    await renderOne(browsers, url)
    expect(htmlOf(await renderOne(browsers, url))).toContain('<p>new</p>')
  })

  test('a browser whose transport has closed is ended, also when it does not end itself', async () => {
    const own = testBrowsers()
    const page = site.page('/still', 'still here')
    try {
      expect(htmlOf(await renderOne(own, page))).toContain('still here')
      const one = own.current()
      if (!one) throw new Error('no browser runs')
      process.kill(one.pid, 'SIGSTOP')
      await one.playwright.close()
      await one.ended
      expect(await usageBelow(one.pid)).toEqual([])
      expect(htmlOf(await renderOne(own, page))).toContain('still here')
    } finally {
      await own.close()
    }
  })
})
