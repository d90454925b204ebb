import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Rendered } from '../../../runners/browser/page/rendered.ts'
import { check, type CheckPorts } from '../../../runners/check/check.ts'
import type { PageTask } from '../../../runners/check/task.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../../runners/fetch/paging/page-reader.ts'

const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }))
const extractor = createExtractor({ threads: 1 })
const pages = createPageReader()

const PROSE = 'There is enough to read here before any script has run. '.repeat(20)
const page = (price: string) => `<!doctype html><p class="price">${price}</p><p>${PROSE}</p>`
const SHELL = '<!doctype html><div id="root"></div><script src="/app.js"></script>'

let sent = { status: 200, body: '' }
let seen: string[] = []
let url = ''
const site = createServer((_request, response) => {
  seen.push('static')
  response.writeHead(sent.status, { 'content-type': 'text/html' }).end(sent.body)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
})
beforeEach(() => {
  seen = []
  shownPage = page('7')
})
afterAll(async () => {
  await Promise.all([extractor.close(), pages.close(), agent.destroy()])
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

/** What a browser shows, whatever was sent. */
let shownPage = page('7')
const browser = { render: () => (seen.push('browser'), Promise.resolve(shown())) }

function shown(): Rendered {
  if (shownPage === '')
    return {
      ok: false,
      fault: { code: 'timeout', message: 'too late' },
      status: null,
      retryAfterMs: null,
      durationMs: 1,
    }
  const body = Buffer.from(shownPage)
  const from = { finalUrl: url, redirected: false, contentType: 'text/html', status: 200 }
  const figures = { durationMs: 1, wireBytes: body.length, bodyHash: Buffer.alloc(16, 1) }
  const none = { etag: null, lastModified: null, link: null, shots: [], warnings: [] }
  return { ok: true, kind: 'body', body, ...from, ...figures, ...none }
}

function taskOf(more: Partial<PageTask>): PageTask {
  const nothing = { no: 0, fence: 0, runId: '', monitorId: '', host: '', dueMs: null, claimedMs: 0, claimedAt: 0 }
  return {
    ...nothing,
    kind: 'page',
    queue: 'browser',
    url,
    extract: { method: 'css', fields: { price: '.price' } },
    request: null,
    visual: null,
    headers: null,
    obstacle: null,
    triesStatic: true,
    reason: 'needs_scripts',
    last: null,
    ...more,
  }
}

function bothWays(status: number, body: string, more: Partial<PageTask> = {}, where: CheckPorts['browser'] = browser) {
  sent = { status, body }
  return check(taskOf(more), { agent, extractor, pages, browser: where, signal: new AbortController().signal })
}

const rendered = { kind: 'values', fetchMethod: 'browser', values: { price: '7' } }

test('a page that reads the same as it is sent goes back to the static layer', async () => {
  expect(await bothWays(200, page('7'))).toMatchObject({ ...rendered, remember: 'static' })
  expect(seen).toEqual(['browser', 'static'])
})

test('a page that reads otherwise as it is sent stays with the browser', async () => {
  expect(await bothWays(200, page('8'))).toMatchObject({ ...rendered, remember: 'browser' })
  expect(seen).toEqual(['browser', 'static'])
})

test('a page that is still an empty shell, or refused, stays with the browser and is not rendered twice', async () => {
  expect(await bothWays(200, SHELL)).toMatchObject({ ...rendered, remember: 'browser' })
  expect(await bothWays(403, 'no robots')).toMatchObject({ ...rendered, remember: 'browser' })
  expect(seen).toEqual(['browser', 'static', 'browser', 'static'])
})

const MISSING = { rendersMissing: true, reason: 'no_match' } as const
const none = page('').replace(/<p class="price"><\/p>/, '')
const asSent = { kind: 'values', fetchMethod: 'static', values: { price: null }, remember: 'static' }

test('a rule without a match in what is sent has the value of the rendered page, and stays with it', async () => {
  expect(await bothWays(200, none, MISSING)).toMatchObject({
    ...rendered,
    fetchReason: 'no_match',
    remember: 'browser',
  })
})

test('the direct reading is the outcome where the browser finds no more matches, or fails', async () => {
  shownPage = none.replace('There is', 'There was')
  expect(await bothWays(200, none, MISSING)).toMatchObject(asSent)
  shownPage = ''
  expect(await bothWays(200, none, MISSING)).toMatchObject(asSent)
})

test('a page that is refused meanwhile keeps what the browser read', async () => {
  expect(await bothWays(403, 'no robots', MISSING)).toMatchObject({ ...rendered, remember: 'browser' })
})

const FIRST = { queue: 'static', triesStatic: false, reason: null } as const

test.each([
  ['fields', { method: 'css', fields: { price: '.price' } }],
  ['a whole page', { method: 'full_page' }],
] as const)('a shell is rendered, or moved to where a browser is: %s', async (_what, extract) => {
  expect(await bothWays(200, SHELL, { ...FIRST, extract })).toMatchObject({
    kind: 'values',
    fetchMethod: 'browser',
    fetchReason: 'needs_scripts',
  })
  const moved = { kind: 'moved', queue: 'browser', reason: 'needs_scripts' }
  expect(await bothWays(200, SHELL, { ...FIRST, extract }, 'elsewhere')).toEqual(moved)
  expect(seen).toEqual(['static', 'browser', 'static'])
})

test('a shell is read as it is sent where there is no browser, and a page with text in any case', async () => {
  const asSentOnly = { kind: 'values', fetchMethod: 'static' }
  const task = { ...FIRST, extract: { method: 'css', fields: { root: '#root' } } } as const
  const ports = { agent, extractor, pages, signal: new AbortController().signal }
  expect(await bothWays(200, page('8'), FIRST, 'elsewhere')).toMatchObject({ ...asSentOnly, values: { price: '8' } })
  sent = { status: 200, body: SHELL }
  expect(await check(taskOf(task), ports)).toMatchObject({ ...asSentOnly, values: { root: '' } })
})
