import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { LookCandidates } from '../../../schema/monitor/look-candidates.ts'
import { Look, LookExtracted } from '../../../schema/monitor/look.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { row } from '../../../store/db/row.ts'
import { sweepImages } from '../../../store/images/image-sweep.ts'
import { sweepLooks } from '../../../store/looks/looks.ts'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import type { ObjectStore } from '../../../store/objects/object-store.ts'
import { createPreviews, type Previews } from '../../../worker/previews/previews.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { NEVER, testBrowsers } from '../../support/browser/test-browsers.ts'
import { tableOf } from '../../support/documents/files.ts'
import { html, openSite, type Site } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'

// A browser starts.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] })
const DOT = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const PIXEL = `<img alt="A kettle" width="40" height="40" src="${DOT}">`
const SHOP = `<!doctype html><title>Kettle</title><h1>Kettle</h1>
  <div class="offer"><span itemprop="price">$19.99</span>${PIXEL}</div>
  <ul>${[1, 2, 3].map((one) => `<li class="item">Item ${one}</li>`).join('')}</ul><p hidden>not seen</p>`

let served: ServedApi
let previews: Previews
let browsers: Browsers
let objects: ObjectStore
let folder: string
let site: Site

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'looks-'))
  objects = createFolderStore(folder)
  browsers = testBrowsers()
  previews = createPreviews({ egress, browser: browsers })
  site = await openSite({ otherwise: html(SHOP) })
  served = await serveApi('scale', { egress, previews, objects })
})
afterAll(async () => {
  await previews.close()
  await served.close()
  await browsers.close()
  await site[Symbol.asyncDispose]()
  await objects.close()
  await rm(folder, { recursive: true })
})

async function look(url: string, more: object = {}, client: Client = served.me): Promise<Look> {
  const { status, body } = await client.post('/v1/looks', { url, ...more })
  expect(body, JSON.stringify(body).slice(0, 500)).toMatchObject({ id: expect.any(String) })
  expect(status).toBe(200)
  const shown = checkerOf(Look).validate(body)
  expect(shown).toMatchObject({ ok: true })
  return body as unknown as Look
}
/** The address names the port of a default installation. */
const pictureOf = ({ picture }: Pick<Look, 'picture'>) => fetch(served.baseUrl + new URL(picture ?? '').pathname)
const extract = (id: string, fields: object, client: Client = served.me) =>
  client.post(`/v1/looks/${id}/extract`, { extract_config: { method: 'css', fields } })

const usage = row({ runs_used: Type.Number(), visual_used: Type.Number() })
const used = () =>
  served.api.services.store.one(
    sql.type(usage)`select runs_used, visual_used from team_usage where team_id = ${served.owner.team_id}::uuid`,
  )
const the = ({ elements }: Look, text: string, tag?: string) => {
  const found = elements.findLast((one) => one.text === text && (tag === undefined || one.tag === tag))
  if (!found) throw new Error(`no element shows ${text}: ${JSON.stringify(elements)}`)
  return found
}

describe('POST /v1/looks', () => {
  test('shows the elements of a page in the pixels of its picture, and costs one run', async () => {
    const before = await used()
    const shown = await look(site.url)
    expect(shown).toMatchObject({
      width: 1280,
      cut: false,
      covers: [],
      warnings: [],
      needs_browser: false,
      browser_reason: null,
      documents: {
        fetched: { is_there: true, kind: 'html', http_status: 200, bytes: Buffer.byteLength(SHOP), error_code: null },
        rendered: { is_there: true, kind: 'html', http_status: 200, url: site.url },
      },
    })
    const price = the(shown, '$19.99', 'span')
    expect(price).toMatchObject({ path: [0, 1, 1, 0], unreadable: null, parent: expect.any(Number) })
    expect(price.box.width).toBeGreaterThan(20)
    expect(shown.elements[price.parent ?? -1]).toMatchObject({ tag: 'div' })
    expect(the(shown, 'A kettle', 'img').box).toMatchObject({ width: 40, height: 40 })
    expect(shown.elements.some(({ text }) => text.includes('not seen'))).toBe(false)
    expect(await used()).toEqual({ ...before, runs_used: before.runs_used + 1 })
    const picture = await pictureOf(shown)
    expect(picture.headers.get('content-type')).toBe('image/png')
    const png = Buffer.from(await picture.arrayBuffer())
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([shown.width, shown.height])
    expect(Date.parse(shown.expires_at) - Date.now()).toBeGreaterThan(800_000)
  })
})

describe('a look of what is not a page', () => {
  test.each([
    ['json', 'application/json', '{"price": 19.99}'],
    [
      'feed',
      'application/rss+xml',
      '<?xml version="1.0"?><rss version="2.0"><channel><title>F</title></channel></rss>',
    ],
    ['xml', 'application/xml', '<?xml version="1.0"?><urls><url>a</url></urls>'],
    ['other', 'text/plain', 'just text'],
  ] as const)('says that it is %s', async (kind, type, text) => {
    const url = site.page('/data', html(text, { 'content-type': type }))
    const shown = await look(url)
    expect(shown.documents.fetched).toMatchObject({ is_there: true, kind, bytes: text.length })
    expect(shown).toMatchObject({ needs_browser: false, elements: [] })
  })

  test('has what a direct request with a method gets, and renders nothing', async () => {
    const url = site.page('/post', (response, request) => response.end(JSON.stringify({ method: request.method })))
    const shown = await look(url, { request_config: { method: 'POST', body: '{}' } })
    expect(shown).toMatchObject({ picture: null, documents: { rendered: { is_there: false, error_code: null } } })
    const rule = { extract_config: { method: 'json_path', fields: { method: '$.method' } } }
    const { body } = await served.me.post(`/v1/looks/${shown.id}/extract`, rule)
    expect(body).toMatchObject({ fetched: { fields: { method: 'POST' } }, rendered: null })
  })
})

describe('a look that is refused or fails', () => {
  test('is 422 for a private address and for a pair that excludes each other, and uses no run', async () => {
    const before = await used()
    const refused = await served.me.post('/v1/looks', { url: 'http://10.0.0.1/' })
    expect(refused).toMatchObject({ status: 422, body: { error: { details: [{ path: 'url' }] } } })
    const both = await served.me.post('/v1/looks', { url: site.url, wait_for: 'b', request_config: {} })
    expect(both).toMatchObject({ status: 422, body: { error: { details: [{ path: 'wait_for' }] } } })
    expect(await used()).toEqual(before)
  })

  test('says so of a redirect to a private address, of both documents', async () => {
    const url = site.page('/away', (response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end())
    const { documents } = await look(url)
    const refused = { is_there: false, error_code: 'target_not_allowed', error_message: expect.any(String) }
    expect(documents).toMatchObject({ fetched: refused, rendered: refused })
  })

  test('shows a page that only a browser can read, and says that it needs one', async () => {
    const url = site.page('/shell', '<div id="root"></div><script>root.innerHTML = "<b>$7 only here</b>"</script>')
    const shown = await look(url)
    expect(shown).toMatchObject({ needs_browser: true, browser_reason: 'needs_scripts' })
    const { body } = await extract(shown.id, { price: 'b' })
    expect(body).toMatchObject({
      fetched: { fields: { price: null } },
      rendered: { fields: { price: '$7 only here' } },
    })
  })

  test('uses its run when only the browser was killed, twice: the page answered the direct request', async () => {
    const before = await used()
    let kills = 0
    const url = site.page('/killed', (response, request) => {
      if (!/Tidemark\/0.1/.test(request.headers['user-agent'] ?? '') || !request.headers['sec-fetch-mode'])
        return void response.end(SHOP)
      kills += 1
      process.kill(browsers.current()?.pid ?? 0, 'SIGKILL')
    })
    const shown = await look(url)
    expect(kills).toBe(2)
    expect(shown.documents.rendered).toMatchObject({ is_there: false, error_code: 'render_failed' })
    expect(shown).toMatchObject({ warnings: [], documents: { fetched: { is_there: true } } })
    expect(await used()).toEqual({ ...before, runs_used: before.runs_used + 1 })
  })

  test('goes on when its client has left, and keeps its slot until then', async () => {
    const before = await used()
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const held: (() => void)[] = []
    const url = site.page('/slow', (response) => {
      held.push(() => void response.writeHead(200, { 'content-type': 'text/html' }).end(SHOP))
      if (held.length === 2) resolve()
    })
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${served.owner.api_key}`, 'content-type': 'application/json' }
    const left = fetch(`${served.baseUrl}/v1/looks`, {
      ...{ method: 'POST', headers, body: JSON.stringify({ url }), signal: leaving.signal },
    }).catch(() => 'left')
    await asked
    leaving.abort()
    expect(await left).toBe('left')
    for (const answer of held) answer()
    await eventually(used, (now) => now.runs_used === before.runs_used + 1)
    await eventually(
      () =>
        served.api.services.store.oneFirst(sql.type(row({ count: Type.Integer() }))`
        select count(*)::int as count from asked_work`),
      (count) => count === 0,
    )
    expect(await used()).toMatchObject({ runs_used: before.runs_used + 1 })
  })
})

describe('POST /v1/looks/{id}/extract', () => {
  test('gives the values of both documents, and the elements that a rule matches', async () => {
    const shown = await look(site.url)
    const requests = site.requests.length
    const before = await used()
    const { status, body } = await extract(shown.id, { price: '[itemprop=price]', items: '.item[]', none: '#none' })
    expect(status).toBe(200)
    expect(checkerOf(LookExtracted).validate(body)).toMatchObject({ ok: true })
    const fields = { price: '$19.99', items: ['Item 1', 'Item 2', 'Item 3'], none: null }
    const elements = [1, 2, 3].map((one) => shown.elements.indexOf(the(shown, `Item ${one}`, 'li')))
    expect(body).toMatchObject({
      fetched: { status: 'success', fields, matches: { price: { count: 1, elements: [] }, items: { count: 3 } } },
      rendered: {
        ...{ status: 'success', fields, error_code: null },
        matches: { items: { count: 3, elements }, none: { count: 0, elements: [] } },
        warnings: [expect.stringContaining('"none" has no match')],
      },
    })
    expect(site.requests.length).toBe(requests)
    expect(await used()).toEqual(before)
  })

  test('says once that treatments left nothing', async () => {
    const { id } = await look(site.url)
    const clean = { items: [{ do: 'keep_lines', pattern: 'Lamp' }] }
    const extract_config = { method: 'css', fields: { items: '.item[]' }, clean }
    const { body } = await served.me.post(`/v1/looks/${id}/extract`, { extract_config })
    const warnings = [expect.stringContaining('Nothing is left of the field "items"')]
    expect(body).toMatchObject({ fetched: { fields: { items: [] }, warnings }, rendered: { warnings } })
  })

  test('reads the pages of a list whose characters take three times the bytes as UTF-8', async () => {
    const items = Buffer.concat([Buffer.from('[{"a":"'), Buffer.alloc(2_500_000, 0x80), Buffer.from('"}]')])
    const type = { 'content-type': 'application/json; charset=windows-1252' }
    let pages = 0
    const url = site.page('/list', (response) => response.writeHead(200, type).end(++pages > 3 ? '[]' : items))
    const pagination = { type: 'page', in: 'query', param: 'page' }
    const shown = await look(url, { request_config: { pagination } })
    expect(shown.documents.fetched.bytes).toBeGreaterThan(3 * 3 * 2_500_000)
    const rule = { extract_config: { method: 'regex', fields: { euros: '€{5}' } } }
    const { status, body } = await served.me.post(`/v1/looks/${shown.id}/extract`, rule)
    expect({ status, body }).toMatchObject({ status: 200, body: { fetched: { fields: { euros: 1_500_000 } } } })
  })

  test('asks no model, and refuses a rule that no monitor may have', async () => {
    const { id } = await look(site.url)
    const config = { method: 'prompt', prompt: 'The price of the kettle' }
    const refused = await served.me.post(`/v1/looks/${id}/extract`, { extract_config: config })
    expect(refused).toMatchObject({ status: 422, body: { error: { details: [{ path: 'extract_config.method' }] } } })
    const broken = await extract(id, { price: 'a[' })
    expect(broken).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'extract_config.fields.price' }] } },
    })
  })

  test("is 404 for another team's look, and for one that has expired, whose picture is deleted", async () => {
    const { id, picture } = await look(site.url)
    // From now on it is open.
    expect(await extract(id, { price: 'b' })).toMatchObject({ status: 200 })
    const other = await served.anotherTeam()
    const missing = await extract(id, { price: 'b' }, other)
    expect(missing).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
    const { store } = served.api.services
    await served.api.sql(`update looks set expires_at = clock() where id = '${id}'`)
    const gone = await extract(id, { price: 'b' })
    expect(await served.me.post(`/v1/looks/${id}/candidates`, { element: 0 })).toMatchObject({ status: 404 })
    expect(gone).toMatchObject({ status: 404, body: { error: { message: expect.stringContaining('Look again') } } })
    const names = async () => (await Array.fromAsync(objects.names())).length
    const before = await names()
    expect(await sweepLooks(store)).toBe(1)
    expect((await pictureOf({ picture })).status).toBe(404)
    await sweepImages({ store, objects, signal: NEVER })
    expect(await names()).toBe(before - 1)
  })
})

describe('what a look offers', () => {
  const pointAt = (id: string, element: number, more: object = {}, client: Client = served.me) =>
    client.post(`/v1/looks/${id}/candidates`, { element, ...more })

  test('are rules for an element, each with its reason and the value in both documents', async () => {
    const shown = await look(site.url)
    const before = await used()
    const price = shown.elements.indexOf(the(shown, '$19.99', 'span'))
    const { status, body } = await pointAt(shown.id, price)
    expect(status).toBe(200)
    expect(checkerOf(LookCandidates).validate(body)).toMatchObject({ ok: true })
    const [first] = (body as unknown as LookCandidates).values
    expect(first).toEqual({
      method: 'css',
      rule: '[itemprop="price"]',
      reason: 'the only element with itemprop=price',
      matches: 1,
      fragile: false,
      value: '$19.99',
      attribute: null,
      fetched: { value: '$19.99', is_same: true },
    })
    expect(await extract(shown.id, { price: first?.rule ?? '' })).toMatchObject({
      body: { rendered: { fields: { price: '$19.99' }, matches: { price: { elements: [price] } } } },
    })
    const item = await pointAt(shown.id, shown.elements.indexOf(the(shown, 'Item 2', 'li')), { method: 'xpath' })
    const { values, lists } = item.body as unknown as LookCandidates
    expect(values.every(({ method, value }) => method === 'xpath' && value === 'Item 2')).toBe(true)
    expect(lists[0]).toMatchObject({ matches: 3, value: '["Item 1","Item 2","Item 3"]' })
    expect(await used()).toEqual(before)
  })

  test('are guesses whose configuration gives the value that they name', async () => {
    const shown = await look(site.url)
    const [price] = shown.guesses
    expect(price).toMatchObject({ kind: 'price', label: 'price $19.99', url: null })
    expect(shown.guesses.map(({ kind }) => kind)).toContain('page')
    const { body } = await served.me.post(`/v1/looks/${shown.id}/extract`, { extract_config: price?.extract_config })
    expect(body).toMatchObject({ rendered: { fields: { price: '$19.99' } } })
    expect(shown.outline).toBe(null)
  })

  test('is the tree of a file, and its whole text', async () => {
    const body = tableOf('Prices', [['Price'], [5]])
    const url = site.page('/prices.xlsx', (response) =>
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(body),
    )
    const { outline, guesses } = await look(url)
    expect(outline).toMatchObject({ method: 'json_path', read_as: 'document', is_cut: false })
    const rule = '$.sheets[0].records[0].Price'
    expect(outline?.nodes.find((node) => node.rule === rule)).toMatchObject({ name: 'Price', value: '5' })
    expect(guesses.map(({ extract_config }) => extract_config)).toEqual([{ method: 'full_page', read_as: 'document' }])
  })

  test('is the tree of a document that has no picture', async () => {
    site.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":{"price":5}}'))
    const { outline, guesses } = await look(site.url)
    site.answer(html(SHOP))
    expect(outline).toMatchObject({ method: 'json_path', is_cut: false })
    expect(outline?.nodes.at(-1)).toMatchObject({ name: 'price', rule: '$.a.price', value: '5', parts: 0 })
    expect(guesses[0]).toMatchObject({ kind: 'price', extract_config: { fields: { price: '$.a.price' } } })
  })

  test('is refused for an element that the look does not have, and for a look of another team', async () => {
    const { id, elements } = await look(site.url)
    expect(await pointAt(id, elements.length)).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'element', message: expect.stringContaining(`below ${elements.length}`) }] } },
    })
    expect(await pointAt(id, 0, {}, await served.anotherTeam())).toMatchObject({ status: 404 })
  })
})
