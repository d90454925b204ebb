import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGuardedAgent } from '../../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../../egress/policy.ts'
import { createResolver } from '../../../../egress/resolve.ts'
import type { Fetched, FetchRequest } from '../../../../runners/fetch/fetched.ts'
import { fetchPages, type PagesPorts } from '../../../../runners/fetch/paging/fetch-pages.ts'
import { readPage } from '../../../../runners/fetch/paging/page-facts.ts'
import { createPageReader } from '../../../../runners/fetch/paging/page-reader.ts'
import type { Pagination } from '../../../../schema/monitor/request-config.ts'
import { MALFORMED_URLS, PRIVATE_URLS } from '../../../support/network/addresses.ts'

/** The one address that is open here, so that every other one of loopback is a private target. */
const HOME = '127.0.0.77'
type Serve = (request: IncomingMessage, response: ServerResponse, nth: number) => void

let serve: Serve
let asked: { url: string; headers: IncomingMessage['headers'] }[] = []
let site: Server
/** Every socket that was opened, in the order of opening. */
let opened: string[] = []
let port = 0
const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: [HOME], neverAllow: [] }), {
  resolver: createResolver({
    lookup: (name) => {
      if (name.endsWith('.test')) return Promise.resolve([{ address: HOME, family: 4 }])
      // As it resolves where there is one.
      if (name === 'metadata.google.internal') return Promise.resolve([{ address: '169.254.169.254', family: 4 }])
      return Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }))
    },
  }),
  open: (options) => {
    opened.push(`${options.host}:${options.port}`)
    return connect(options)
  },
})
const pages = createPageReader()
// Each test has a site of its own, so that a request that was stopped and arrives late is counted with no other test.
beforeEach(async () => {
  const mine: typeof asked = []
  asked = mine
  opened = []
  site = createServer((request, response) => {
    mine.push({ url: `${request.headers.host}${request.url}`, headers: request.headers })
    serve(request, response, mine.length)
  })
  await new Promise<void>((resolve) => site.listen(0, HOME, resolve))
  port = (site.address() as AddressInfo).port
})
afterEach(async () => {
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})
afterAll(() => Promise.all([agent.destroy(), pages.close()]))

const NEXT_URL: Pagination = { type: 'next_url', next_url_path: 'next', items_path: 'items' }
const LINKED: Pagination = { type: 'link_header', items_path: 'items' }
const PAGED: Pagination = { type: 'page', in: 'query', param: 'p', items_path: 'items', max_pages: 50 }

function fetchAll(
  pagination: Pagination,
  request: Partial<FetchRequest> = {},
  ports: Partial<PagesPorts> = {},
): Promise<Fetched> {
  return fetchPages({ url: `http://${HOME}:${port}/list`, headers: null, conditional: null, ...request }, pagination, {
    agent,
    pages,
    signal: null,
    deadlineMs: 10_000,
    ...ports,
  })
}
const PATHS = { items: null, total: null, hasMore: null, next: null }

/** Microseconds that this thread works meanwhile. */
async function ownWork(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

const json =
  (page: (nth: number) => object, headers: (nth: number) => Record<string, string> = () => ({})): Serve =>
  (_, response, nth) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers(nth) }).end(JSON.stringify(page(nth)))
const faultOf = (fetched: Fetched) => (fetched.ok ? null : fetched.fault)
const bodyOf = (fetched: Fetched): unknown =>
  fetched.ok && fetched.kind === 'body' ? JSON.parse(Buffer.from(fetched.body).toString()) : fetched

describe('a next URL that leads where nothing may be asked', () => {
  // Text without a scheme is a relative reference.
  const relative = new Set(['//example.com/', 'example.com', ''])
  const vectors = [...PRIVATE_URLS, ...MALFORMED_URLS.filter((url) => !relative.has(url))]

  test.each(vectors.map((url) => [JSON.stringify(url.slice(0, 80)), url]))(
    'in the answer: %s is not contacted',
    async (_, url) => {
      serve = json(() => ({ items: [1], next: url }))
      const fault = faultOf(await fetchAll(NEXT_URL))
      expect(fault).toMatchObject({ code: 'target_not_allowed', message: expect.stringMatching(/^Page 2: /) })
      expect(opened.filter((to) => to !== `${HOME}:${port}`)).toEqual([])
      expect(asked).toHaveLength(1)
    },
  )

  test.each(PRIVATE_URLS)('in a Link header: %s is not contacted', async (url) => {
    serve = json(
      () => ({ items: [1] }),
      () => ({ link: Buffer.from(`<${url}>; rel="next"`).toString('latin1') }),
    )
    expect(faultOf(await fetchAll(LINKED))).toMatchObject({ code: 'target_not_allowed' })
    expect(opened.filter((to) => to !== `${HOME}:${port}`)).toEqual([])
  })

  test('behind a redirect is not contacted either', async () => {
    serve = (request, response, nth) => {
      if (request.url === '/hop') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      else json(() => ({ items: [1], next: '/hop' }))(request, response, nth)
    }
    expect(faultOf(await fetchAll(NEXT_URL))).toMatchObject({
      code: 'target_not_allowed',
      message: expect.stringMatching(/^Page 2: /),
    })
    expect(opened.filter((to) => to !== `${HOME}:${port}`)).toEqual([])
  })

  test('is a megabyte long: it is refused, and not repeated in the message', async () => {
    serve = json(() => ({ items: [1], next: `http://${HOME}/${'x'.repeat(1_048_576)}` }))
    const fault = faultOf(await fetchAll(NEXT_URL))
    expect(fault).toMatchObject({ code: 'target_not_allowed' })
    expect(fault?.message.length).toBeLessThan(300)
    expect(asked).toHaveLength(1)
  })
})

describe('request headers of the user', () => {
  const headers = { authorization: 'Bearer of-the-user', 'x-api-key': 'of-the-user' }
  const keys = () => asked.map((one) => [one.headers.authorization ?? null, one.headers['x-api-key'] ?? null])
  const sent = ['Bearer of-the-user', 'of-the-user']
  const none = [null, null]

  test('go with every page of the same origin', async () => {
    serve = json((nth) => ({ items: [nth], next: nth < 3 ? `?p=${nth}` : null }))
    expect(bodyOf(await fetchAll(NEXT_URL, { headers }))).toMatchObject({ items: [1, 2, 3] })
    expect(keys()).toEqual([sent, sent, sent])
  })

  test('do not go to another origin, nor come back on the way back', async () => {
    serve = json((nth) => ({
      items: [nth],
      next: [`http://other.test:${port}/b`, `http://${HOME}:${port}/c`][nth - 1],
    }))
    expect(bodyOf(await fetchAll(NEXT_URL, { headers }))).toMatchObject({ items: [1, 2, 3] })
    expect(asked.map(({ url }) => url)).toEqual([`${HOME}:${port}/list`, `other.test:${port}/b`, `${HOME}:${port}/c`])
    expect(keys()).toEqual([sent, none, none])
  })

  test('do not go to where a redirect of the first page led', async () => {
    serve = (request, response, nth) => {
      if (nth === 1) response.writeHead(302, { location: `http://other.test:${port}/b` }).end()
      else json(() => ({ items: [nth], next: nth === 2 ? '/c' : null }))(request, response, nth)
    }
    expect(bodyOf(await fetchAll(NEXT_URL, { headers }))).toMatchObject({ items: [2, 3] })
    expect(keys()).toEqual([sent, none, none])
  })

  test('that were left off are named when the page is refused', async () => {
    serve = (request, response, nth) => {
      if (nth === 2) response.writeHead(401).end()
      else json(() => ({ items: [1], next: `http://other.test:${port}/b` }))(request, response, nth)
    }
    expect(faultOf(await fetchAll(NEXT_URL, { headers }))?.message).toMatch(/^Page 2: .*401.*headers are not sent/)
  })
})

describe('all pages together', () => {
  test('have one deadline', async () => {
    serve = (request, response, nth) => {
      setTimeout(() => json(() => ({ items: [nth] }))(request, response, nth), 60)
    }
    const fault = faultOf(await fetchAll(PAGED, {}, { deadlineMs: 400 }))
    expect(fault).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/^Page [1-7]: The time for all pages/),
    })
    expect(asked.length).toBeLessThan(8)
  })

  test.each([
    ['on the wire', { maxWireBytes: 100_000, maxBodyBytes: 10_000_000 }, false],
    ['unpacked', { maxWireBytes: 10_000_000, maxBodyBytes: 100_000 }, true],
  ])('have one limit of size, %s', async (_, limits, isPacked) => {
    const text = JSON.stringify({ items: ['x'.repeat(30_000)] })
    serve = (_request, response) => {
      const body = isPacked ? gzipSync(text) : text
      response.writeHead(200, isPacked ? { 'content-encoding': 'gzip' } : {}).end(body)
    }
    const fault = faultOf(await fetchAll(PAGED, {}, { limits: { ...limits, maxRedirects: 5 } }))
    expect(fault).toMatchObject({ code: 'too_large', message: expect.stringMatching(/^Page 4: The pages together/) })
    expect(asked).toHaveLength(4)
  })

  test('that are large are read apart, so that nobody else waits', async () => {
    const text = `[${Array.from({ length: 39_000 }, (_, i) => `{"a":${i},"b":{"c":[${i}]}}`).join(',')}]`
    const task = { answer: { body: Buffer.from(text), contentType: null }, number: 1, paths: PATHS }
    expect(await pages.read(task)).toMatchObject({ ok: true, facts: { count: 39_000 } })
    // What this thread itself works, however busy the machine is.
    const apart = await ownWork(() => pages.read(task))
    const here = await ownWork(async () => readPage(task.answer, task.paths, 1))
    expect(apart).toBeLessThan(here / 2)
  })

  test('that are stopped end at once', async () => {
    const stop = new AbortController()
    serve = (request, response, nth) => {
      if (nth === 2) stop.abort()
      else json(() => ({ items: [nth] }))(request, response, nth)
    }
    expect(await fetchAll(PAGED, {}, { signal: stop.signal })).toMatchObject({ ok: false })
  })
})

describe('a service that lies', () => {
  test('of a total that is too large is asked until another rule ends it', async () => {
    serve = json((nth) => ({ items: nth < 4 ? [nth] : [], total: 1e15 }))
    expect(bodyOf(await fetchAll({ ...PAGED, total_path: 'total' }))).toMatchObject({ items: [1, 2, 3] })
  })

  test('of a total that grows with every page fails at max_pages', async () => {
    serve = json((nth) => ({ items: [nth], total: nth + 1 }))
    expect(faultOf(await fetchAll({ ...PAGED, total_path: 'total', max_pages: 5 }))).toMatchObject({
      code: 'too_large',
    })
    expect(asked).toHaveLength(5)
  })

  test('by names of prototypes changes nothing here', async () => {
    serve = (_, response) =>
      response.end('{"__proto__":{"items":[{"__proto__":{"polluted":1}}]},"constructor":{"prototype":{"x":1}}}')
    const fetched = await fetchAll({
      ...PAGED,
      items_path: '__proto__.items',
      max_pages: 1,
      total_path: 'constructor.prototype.x',
    })
    expect(fetched.ok).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })

  test('in UTF-16 is read, and the list is UTF-8', async () => {
    serve = (_, response, nth) =>
      response
        .writeHead(200, { 'content-type': 'application/json; charset=utf-16le' })
        .end(Buffer.from(nth === 1 ? '["é"]' : '[]', 'utf16le'))
    const fetched = await fetchAll({ type: 'page', in: 'query', param: 'p' })
    expect(bodyOf(fetched)).toEqual(['é'])
  })
})

test('the thread that reads large pages is killed when it takes too long, and the next page is read', async () => {
  const reader = createPageReader({ timeoutMs: 1 })
  const answer = { body: Buffer.from(`["${'\\u0061'.repeat(1_500_000)}"]`), contentType: null }
  const paths = { items: null, total: null, hasMore: null, next: null }
  expect(await reader.read({ answer, paths, number: 7 })).toMatchObject({
    ok: false,
    fault: { code: 'extract_timeout', message: expect.stringMatching(/^Page 7: /) },
  })
  expect(
    await reader.read({ answer: { body: Buffer.from('[1]'), contentType: null }, paths, number: 8 }),
  ).toMatchObject({ ok: true })
  await reader.close()
})

test.each([
  ['small', '[1]'],
  ['large', `["${'a'.repeat(100_000)}"]`],
])('an error of ours on a %s page is an internal error, and is told by where it was thrown', async (_size, body) => {
  const told: string[] = []
  const reader = createPageReader({ onInternalError: (trace) => told.push(trace) })
  // No caller does this: it stands for an error that is in no page.
  const read = await reader.read({
    answer: { body: Buffer.from(body), contentType: null },
    paths: null as never,
    number: 3,
  })
  await reader.close()
  expect(read).toMatchObject({ ok: false, fault: { code: 'internal', message: expect.stringMatching(/^Page 3: /) } })
  expect(told).toEqual([expect.stringMatching(/^TypeError\n {4}at .*\.ts:\d+/)])
})

test('a list whose turn at that thread does not come in time fails, and holds nobody up', async () => {
  const reader = createPageReader()
  const large = { body: Buffer.from(`["${'\\u0061'.repeat(1_500_000)}"]`), contentType: null }
  const task = { answer: large, paths: PATHS, number: 1 }
  const other = reader.read({ ...task, answer: { ...large, body: Buffer.from(large.body) } }, { key: 'a' })
  const impatient = reader.read(task, { key: 'b', signal: AbortSignal.timeout(1) })
  expect([await impatient, (await other)?.ok]).toEqual([null, true])
  await reader.close()
})
