import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import { Preview } from '../../../schema/monitor/preview.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { row } from '../../../store/db/row.ts'
import { createPreviews, type Previews } from '../../../worker/previews/previews.ts'
import { MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { eventually } from '../../support/run/eventually.ts'

const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const PAGE = '<!doctype html><h1>Kettles</h1><p class="price">€ 49,90</p>'

let served: ServedApi
let previews: Previews
let site: Server
let base: string
/** The responses of /wait that a preview waits for. */
let waiting: ServerResponse[] = []
let arrived: () => void = () => {}

beforeAll(async () => {
  site = createServer((request, response) => {
    switch (request.url) {
      case '/wait':
        waiting.push(response)
        return arrived()
      case '/echo':
        response.setHeader('content-type', 'application/json')
        return response.end(JSON.stringify({ agent: request.headers['x-mine'] ?? null, method: request.method }))
      case '/scripted':
        response.setHeader('content-type', 'text/html; charset=utf-8')
        return response.end(
          `${PAGE}<p class="stock"></p><p>${'text '.repeat(200)}</p>${'<script src=/a.js></script>'.repeat(3)}`,
        )
      case '/refused':
        return response.writeHead(403).end('no')
      case '/gone':
        return response.writeHead(404).end('gone')
      default:
        response.setHeader('content-type', 'text/html; charset=utf-8')
        return response.end(PAGE)
    }
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  previews = createPreviews({ egress, atOnce: 3, perTeam: 2 })
  served = await serveApi('scale', { egress, previews })
})
beforeEach(() => {
  waiting = []
})
afterAll(async () => {
  await previews.close()
  await served.close()
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

const show = (overrides: object = {}, client = served.me) =>
  client.post('/v1/monitors/preview', { ...MONITOR, url: `${base}/`, ...overrides })

const waiters = row({ count: Type.Number() })
const usage = row({ runs_used: Type.Number(), visual_used: Type.Number(), credits: Type.Number() })
const used = (teamId = served.owner.team_id) =>
  served.api.services.store.one(
    sql.type(usage)`select runs_used, visual_used, credits from team_usage where team_id = ${teamId}::uuid`,
  )

/** Previews of /wait that have reached the site. */
async function hang(count: number, client = served.me) {
  const before = waiting.length
  const all = new Promise<void>((resolve) => {
    arrived = () => waiting.length === before + count && resolve()
  })
  const answers = Array.from({ length: count }, () => show({ url: `${base}/wait` }, client))
  await all
  return answers
}
const release = () => waiting.splice(0).forEach((response) => response.end(PAGE))

describe('a preview of fields that have no value', () => {
  const css = (fields: object) => ({ extract_config: { method: 'css', fields } })

  test('warns for each field without a match', async () => {
    const shown = await show(css({ price: '.price', old: '.old-price', all: '.none[]' }))
    expect(shown.body).toMatchObject({
      status: 'success',
      fields: { old: null, all: [] },
      warnings: [
        expect.stringMatching(/^The field "old" has no match on the page\. Its rule/),
        expect.stringMatching(/^The field "all" has no match on the page\. Its rule/),
      ],
    })
  })

  test('says to try the browser where the page has many scripts, for an empty element too', async () => {
    const fields = css({ price: '.price', old: '.old-price', stock: '.stock' })
    const shown = await show({ ...fields, url: `${base}/scripted` })
    expect(shown.body).toMatchObject({
      fetch_method: 'static',
      fields: { stock: '' },
      warnings: [
        expect.stringMatching(/"old" has no match .* try fetch_mode browser/),
        expect.stringMatching(/"stock" is empty .* try fetch_mode browser/),
      ],
    })
  })
})

test('a preview after the end of a trial is 403 and asks nothing, whatever credits are left', async () => {
  const owner = await served.api.owner({ plan: 'free' })
  await served.api.sql(`update team_usage set credits = 5 where team_id = '${owner.team_id}';
    update teams set trial_ends_at = clock() - interval '1 second' where id = '${owner.team_id}'`)
  const refused = await show({}, served.as(owner.session_token))
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  expect(refused.body.error.message).toContain('The trial has ended')
  expect(await used(owner.team_id)).toMatchObject({ runs_used: 0, credits: 5 })
})

describe('POST /v1/monitors/preview', () => {
  test('answers what a run would extract, with what the fetch was like', async () => {
    const { status, body } = await show({
      extract_config: { method: 'css', fields: { title: 'h1', price: '.price', stock: '#stock' } },
    })
    expect(status).toBe(200)
    expect(checkerOf(Preview).validate(body)).toMatchObject({ ok: true })
    expect(body).toMatchObject({
      status: 'success',
      fields: { title: 'Kettles', price: '€ 49,90', stock: null },
      fetch_method: 'static',
      http_status: 200,
      content_type: 'text/html; charset=utf-8',
      bytes: Buffer.byteLength(PAGE),
      warnings: [expect.stringContaining('"stock" has no match')],
      error_code: null,
      error_message: null,
    })
    expect(Number(body['fetch_ms']) + Number(body['extract_ms'])).toBeLessThanOrEqual(Number(body['duration_ms']) + 1)
  })

  test('names the fields of which treatments left nothing', async () => {
    const clean = { title: [{ do: 'keep_lines', pattern: 'Lamps' }] }
    const { body } = await show({ extract_config: { method: 'css', fields: { title: 'h1', stock: '#stock' }, clean } })
    expect(checkerOf(Preview).validate(body)).toMatchObject({ ok: true })
    expect(body).toMatchObject({ fields: { title: '', stock: null }, emptied: ['title'] })
    expect(body['warnings']).toEqual([
      expect.stringContaining('Nothing is left of the field "title"'),
      expect.stringContaining('"stock" has no match'),
    ])
  })

  test('needs only url and extract_config', async () => {
    const { url, extract_config } = { url: `${base}/`, extract_config: MONITOR.extract_config }
    const preview = (body: object) => served.me.post('/v1/monitors/preview', body)
    expect(await preview({ url, extract_config })).toMatchObject({
      status: 200,
      body: { fields: { price: '€ 49,90' } },
    })
    expect(pathsOf(await preview({}))).toEqual(['extract_config', 'url'])
    expect(pathsOf(await preview({ url, extract_config, other: 1 }))).toEqual(['other'])
    const unknown = { type: 'field_changes', field: 'stock' }
    expect(pathsOf(await preview({ url, extract_config, diff_predicate: unknown }))).toEqual(['diff_predicate.field'])
  })

  test('sends the request as the monitor would', async () => {
    const { body } = await show({
      url: `${base}/echo`,
      request_config: { method: 'POST', body: '{}' },
      request_headers: { 'X-Mine': 'yes' },
      extract_config: { method: 'json_path', fields: { agent: '$.agent', method: '$.method' } },
      diff_predicate: { type: 'any_field_changes' },
    })
    expect(body).toMatchObject({ fields: { agent: 'yes', method: 'POST' } })
  })

  test('stores nothing and uses one run', async () => {
    const stranger = await served.anotherTeam()
    const before = await used(stranger.owner.team_id)
    expect((await show({}, stranger)).status).toBe(200)
    expect(await used(stranger.owner.team_id)).toEqual({ ...before, runs_used: before.runs_used + 1 })
    expect((await stranger.get('/v1/monitors')).body.data).toEqual([])
  })

  test('of a request_config that is refused does not advise the browser, which it cannot use', async () => {
    const direct = { extract_config: { method: 'json_path', fields: { a: '$.a' } }, request_config: { method: 'POST' } }
    const { body } = await show({ url: `${base}/refused`, ...direct })
    expect(body).toMatchObject({ error_code: 'blocked', error_message: expect.stringContaining('check the method') })
    expect(body['error_message']).not.toMatch(/browser/)
  })

  test.each([
    ['/gone', {}, { error_code: 'http_status', http_status: 404, fetch_method: 'static' }],
    [
      '/',
      { extract_config: { method: 'json_path', fields: { a: '$.a' } } },
      { error_code: 'wrong_type', http_status: 200, bytes: Buffer.byteLength(PAGE) },
    ],
    ['/', { fetch_mode: 'browser' }, { error_code: 'not_available', http_status: null, fetch_method: null }],
  ])('a check of %s that fails (%j) is a 200 that says why', async (path, overrides, expected) => {
    const { status, body } = await show({ url: base + path, ...overrides })
    expect(status).toBe(200)
    expect(checkerOf(Preview).validate(body)).toMatchObject({ ok: true })
    expect(body).toMatchObject({ status: 'error', fields: {}, error_message: expect.any(String), ...expected })
  })

  test('a name that resolves to nothing public is the failure that a run would have', async () => {
    const { status, body } = await show({ url: 'http://nowhere.invalid/' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'error', error_code: 'dns_failed' })
  })

  test('refuses what create refuses, with the same paths, before a run is used', async () => {
    const before = await used()
    const body = {
      name: '',
      url: 'http://10.0.0.1/',
      extract_config: { method: 'css', fields: { price: '.a[' } },
      extra: 1,
    }
    expect(pathsOf(await show(body))).toEqual(pathsOf(await served.me.post('/v1/monitors', { ...MONITOR, ...body })))
    expect(pathsOf(await served.me.post('/v1/monitors/preview'))).toEqual([''])
    expect(await used()).toEqual(before)
  })

  test('says of the deliveries what create says of them under the plan, before a run is used', async () => {
    const stranger = await served.anotherTeam('free')
    const before = await used(stranger.owner.team_id)
    const deliveries = ['a', 'b'].map((path) => ({ type: 'webhook', url: `https://example.com/${path}` }))
    const [tried, made] = [
      await show({ deliveries }, stranger),
      await stranger.post('/v1/monitors', { ...MONITOR, deliveries }),
    ]
    expect(tried.status).toBe(429)
    const { requestId: _own, ...refusal } = tried.body.error
    expect(made.body.error).toMatchObject(refusal)
    expect(refusal).toMatchObject({ code: 'TIER_LIMIT_EXCEEDED', details: [{ path: 'deliveries', limit: 1 }] })
    expect(await used(stranger.owner.team_id)).toEqual(before)
  })

  test('takes credits when the pool is used up, and is refused when both are', async () => {
    const stranger = await served.anotherTeam()
    const { team_id } = stranger.owner
    await served.api.sql(`update team_usage set runs_used = runs_limit, credits = 1 where team_id = '${team_id}'`)
    const before = await used(team_id)
    expect((await show({}, stranger)).status).toBe(200)
    expect(await used(team_id)).toEqual({ ...before, credits: 0 })
    const { status, body } = await show({}, stranger)
    expect({ status, code: body.error.code }).toEqual({ status: 429, code: 'RUN_LIMIT_REACHED' })
    expect(body.error.details).toEqual([
      { used: before.runs_used, limit: before.runs_used, resets_at: expect.any(String), credits_remaining: 0 },
    ])
    expect(await used(team_id)).toEqual({ ...before, credits: 0 })
  })

  test('a monitor with pictures is taken from the pool of a trial that has one', async () => {
    const stranger = await served.anotherTeam('free')
    const before = await used(stranger.owner.team_id)
    await show({ visual_config: { enabled: true } }, stranger)
    expect(await used(stranger.owner.team_id)).toEqual({ ...before, visual_used: before.visual_used + 1 })
  })

  test('of two that meet at the last run of a team, one is paid', async () => {
    const { store } = served.api.services
    const { team_id } = (await served.anotherTeam()).owner
    await served.api.sql(`update team_usage set runs_used = runs_limit - 1 where team_id = '${team_id}'`)
    const begun = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const first = store.transaction(async (tx) => {
      const spent = await spendRun(tx, team_id, 'runs')
      begun.resolve()
      await commit.promise
      return spent
    })
    await begun.promise
    const second = spendRun(store, team_id, 'runs')
    await eventually(
      () =>
        store.oneFirst(sql.type(waiters)`
          select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      (waiting) => waiting === 1,
    )
    commit.resolve()
    expect(await first).toMatchObject({ kind: 'spent' })
    expect(await second).toMatchObject({ kind: 'used_up' })
  })

  test('a team has two slots, the process a third; the next learns when to retry and pays nothing', async () => {
    const stranger = await served.anotherTeam()
    const third = await served.anotherTeam()
    const own = await hang(2)
    const before = await used()
    const refused = await show()
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
    })
    expect(refused.body.error.message).toContain('At most 2 previews of a team run at once')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await used()).toEqual(before)

    const theirs = await hang(1, stranger)
    const full = await show({}, third)
    expect([full.status, full.body.error.message]).toEqual([
      429,
      expect.stringContaining('At most 3 previews of all teams run at once'),
    ])
    release()
    for (const answer of await Promise.all([...own, ...theirs])) expect(answer.status).toBe(200)
    expect((await show({}, third)).status).toBe(200)
    expect((await show()).status).toBe(200)
  })

  test('a viewer and a key that only reads may not', async () => {
    const viewer = served.as(await served.api.member(served.owner, 'viewer'))
    const reader = served.as(await served.api.key(served.owner, 'read'))
    for (const client of [viewer, reader]) expect((await show({}, client)).status).toBe(403)
    expect((await show({}, served.as(null))).status).toBe(401)
  })

  test('without previews in the process it is a 503', async () => {
    const bare = await serveApi()
    const { status, body } = await bare.me.post('/v1/monitors/preview', MONITOR)
    expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'UNAVAILABLE' })
    await bare.close()
  })

  test('a process that stops ends what hangs with a 503', async () => {
    const ending = createPreviews({ egress })
    const stopping = await serveApi('scale', { egress, previews: ending })
    const [answer] = await hang(1, stopping.me)
    await ending.close()
    expect((await answer)?.status).toBe(503)
    expect((await show({}, stopping.me)).status).toBe(503)
    await stopping.close()
  })
})
