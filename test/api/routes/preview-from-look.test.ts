import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import type { Preview } from '../../../schema/monitor/preview.ts'
import { row } from '../../../store/db/row.ts'
import { createPreviews, type Previews } from '../../../worker/previews/previews.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { html, openSite, type Site } from '../../support/network/site.ts'

// A browser starts.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] })
const SHOP = `<!doctype html><title>Kettle</title><h1>Kettle</h1><p class="price">$19.99</p>
  <p>A kettle of steel. It boils a litre of water in three minutes.</p>`
const LATER = `${SHOP}<div id="late"></div><script>late.innerHTML = '<b class="stock">3 left</b>'</script>`
const SHELL = '<div id="root"></div><script>root.innerHTML = "<b class=price>$7 only here</b>"</script>'

let served: ServedApi
let previews: Previews
let browsers: Browsers
let site: Site

beforeAll(async () => {
  browsers = testBrowsers()
  previews = createPreviews({ egress, browser: browsers })
  site = await openSite({ otherwise: html(SHOP) })
  served = await serveApi('scale', { egress, previews })
})
afterAll(async () => {
  await previews.close()
  await served.close()
  await browsers.close()
  await site[Symbol.asyncDispose]()
})

const PRICE = { method: 'css', fields: { price: '.price' } }
const preview = async (body: object, client: Client = served.me) => client.post('/v1/monitors/preview', body)

async function lookAt(url: string, more: object = {}): Promise<string> {
  const { status, body } = await served.me.post('/v1/looks', { url, ...more })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.id
}

const usage = row({ runs_used: Type.Number() })
const used = () =>
  served.api.services.store.oneFirst(
    sql.type(usage)`select runs_used from team_usage where team_id = ${served.owner.team_id}::uuid`,
  )

describe('a preview from a look', () => {
  test('has what a preview of the page has, fetches nothing, and uses no run', async () => {
    const from_look = await lookAt(site.url)
    for (const extract_config of [PRICE, { method: 'full_page' }, { method: 'regex', fields: { steel: 'steel' } }]) {
      const [requests, runs] = [site.requests.length, await used()]
      const { status, body } = await preview({ url: site.url, extract_config, from_look })
      expect({ status, requests: site.requests.length }).toEqual({ status: 200, requests })
      expect(await used()).toBe(runs)
      const { body: fetched } = await preview({ url: site.url, extract_config })
      const times = { fetch_ms: expect.any(Number), extract_ms: expect.any(Number), duration_ms: expect.any(Number) }
      expect(body).toEqual({ ...fetched, ...times })
    }
  })

  test('reads the rendered document where a run would', async () => {
    const shell = site.page('/shell', SHELL)
    const [from_look, of_shell] = [await lookAt(site.url), await lookAt(shell)]
    const [runs, requests] = [await used(), site.requests.length]
    expect(await preview({ url: shell, extract_config: PRICE, from_look: of_shell })).toMatchObject({
      body: { fields: { price: '$7 only here' }, fetch_method: 'browser', fetch_reason: 'needs_scripts' },
    })
    expect(await preview({ url: site.url, extract_config: PRICE, fetch_mode: 'browser', from_look })).toMatchObject({
      body: { fields: { price: '$19.99' }, fetch_method: 'browser', fetch_reason: 'configured' },
    })
    expect([await used(), site.requests.length]).toEqual([runs, requests])
  })

  test('reads the rendered document when a rule has a match only there', async () => {
    const url = site.page('/later', LATER)
    const from_look = await lookAt(url)
    const stock = { method: 'css', fields: { stock: '.stock' } }
    expect(await preview({ url, extract_config: stock, from_look })).toMatchObject({
      body: { fields: { stock: '3 left' }, fetch_method: 'browser', fetch_reason: 'no_match', warnings: [] },
    })
    const none = { method: 'css', fields: { none: '.none' } }
    expect(await preview({ url, extract_config: none, from_look })).toMatchObject({
      body: {
        fields: { none: null },
        fetch_method: 'static',
        warnings: [expect.stringContaining('"none" has no match')],
      },
    })
  })

  test('fails as the page did', async () => {
    const url = site.page('/gone', (response) => response.writeHead(404).end('gone'))
    const from_look = await lookAt(url)
    const { body } = await preview({ url, extract_config: PRICE, from_look })
    const { body: fetched } = await preview({ url, extract_config: PRICE })
    const { status, error_code, error_message, http_status } = fetched as unknown as Preview
    expect(body).toMatchObject({ status: 'error', fields: {} })
    expect(body).toMatchObject({ status, error_code, error_message, http_status })
  })

  test('reads what a request with headers and a body got, if the configuration has the same', async () => {
    const url = site.page('/post', (response, request) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ method: request.method, token: request.headers['x-token'] })),
    )
    const asked = { request_headers: { 'x-token': 'abc' }, request_config: { method: 'POST', body: '{}' } }
    const from_look = await lookAt(url, asked)
    const extract_config = { method: 'json_path', fields: { method: '$.method', token: '$.token' } }
    expect(await preview({ url, extract_config, from_look, ...asked })).toMatchObject({
      body: { fields: { method: 'POST', token: 'abc' }, fetch_method: 'static', fetch_reason: null },
    })
    expect(await preview({ url, extract_config, from_look })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'request_headers' }, { path: 'request_config' }] } },
    })
  })

  test.each([
    ['url', { url: 'https://shop.example/other' }],
    ['request_headers', { request_headers: { 'x-token': 'a' } }],
    ['request_config', { request_config: { method: 'POST' } }],
    ['extract_config.wait_for', { fetch_mode: 'browser', extract_config: { ...PRICE, wait_for: '.price' } }],
    ['extract_config.method', { extract_config: { method: 'prompt', prompt: 'The price of the kettle' } }],
    ['visual_config.enabled', { visual_config: { enabled: true } }],
  ])('is 422 with another %s than the documents can answer', async (path, more) => {
    const from_look = await lookAt(site.url)
    const runs = await used()
    const { status, body } = await preview({ url: site.url, extract_config: PRICE, from_look, ...more })
    expect({ status, details: body.error.details }).toMatchObject({ status: 422, details: [{ path }] })
    expect(await used()).toBe(runs)
  })

  test('is 404 for a look of another team and for one that has expired, also where it was read before', async () => {
    const from_look = await lookAt(site.url)
    const wanted = { url: site.url, extract_config: PRICE, from_look }
    expect(await preview(wanted)).toMatchObject({ status: 200 })
    expect(await preview(wanted, await served.anotherTeam())).toMatchObject({ status: 404 })
    await served.api.sql(`update looks set expires_at = clock() where id = '${from_look}'`)
    expect(await preview(wanted)).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND', message: expect.stringContaining('Look again') } },
    })
  })

  test('takes a slot of previews', async () => {
    const from_look = await lookAt(site.url)
    const taken = [previews.enter(served.owner.team_id), previews.enter(served.owner.team_id)]
    const refused = await preview({ url: site.url, extract_config: PRICE, from_look })
    for (const place of taken) if (place.kind === 'place') place.leave()
    expect(refused).toMatchObject({ status: 429 })
    expect(await preview({ url: site.url, extract_config: PRICE, from_look })).toMatchObject({ status: 200 })
  })
})
