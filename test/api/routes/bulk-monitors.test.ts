import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MonitorBulkDone } from '../../../schema/monitor/bulk.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { row } from '../../../store/db/row.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'

let api: TestApi
let wakes = 0
beforeAll(async () => {
  api = await createTestApi({ wake: () => void (wakes += 1) })
})
afterAll(() => api.close())

const post = (credential: string, body: unknown) => api.call(credential, 'POST', '/v1/monitors/bulk', body)
const bulk = async ({ api_key: key }: CreatedOwner, action: string, ids: readonly string[]) => {
  const { status, body } = await post(key, { action, ids })
  expect([status, checkerOf(MonitorBulkDone).validate(body)]).toMatchObject([200, { ok: true }])
  return body as never as MonitorBulkDone
}
const monitors = async ({ api_key: key }: CreatedOwner, count: number): Promise<string[]> => {
  const made: string[] = []
  for (let n = 1; n <= count; n++) {
    const { status, body } = await api.call(key, 'POST', '/v1/monitors', {
      name: `M${n}`,
      url: 'https://example.com/',
      schedule_interval_seconds: 3600,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
    })
    expect(status).toBe(201)
    made.push(String(body['id']))
  }
  return made
}
const statusOf = async (owner: CreatedOwner, id: string) =>
  (await api.call(owner.api_key, 'GET', `/v1/monitors/${id}`)).body['status']
const lock = (id: string) => changeMonitors(api, id, { locked: true })
const event = row({
  action: Type.String(),
  target_id: Type.Union([Type.String(), Type.Null()]),
  actor_type: Type.String(),
  metadata: Type.Unknown(),
})
const audit = ({ team_id }: CreatedOwner, action: string) =>
  api.services.store.any(sql.type(event)`
    select action, target_id, actor_type, metadata from audit_events
    where team_id = ${team_id} and action = ${action} order by created_at`)
const UNKNOWN = '5b0f7f0e-7b7c-4c1e-9a53-0a6d6b1b8a11'

describe('a bulk action', () => {
  test('answers a result for each id, in their order, and counts', async () => {
    const owner = await api.owner()
    const ids = await monitors(owner, 3)
    expect(await bulk(owner, 'pause', ids.toReversed())).toEqual({
      action: 'pause',
      succeeded: 3,
      failed: 0,
      results: ids.toReversed().map((id) => ({ id, ok: true })),
    })
    for (const id of ids) expect(await statusOf(owner, id)).toBe('paused')
  })

  test('does each by itself: what fails for one does not undo the others', async () => {
    const owner = await api.owner()
    const stranger = await api.owner()
    const [first = '', locked = '', deleted = '', last = ''] = await monitors(owner, 4)
    const [foreign = ''] = await monitors(stranger, 1)
    await lock(locked)
    await api.call(owner.api_key, 'DELETE', `/v1/monitors/${deleted}`)
    const done = await bulk(owner, 'pause', [first, locked, UNKNOWN, foreign, deleted, last])
    expect([done.succeeded, done.failed]).toEqual([2, 4])
    expect(done.results.map(({ id, ok, error }) => [id, ok, error?.code])).toEqual([
      [first, true, undefined],
      [locked, false, 'FORBIDDEN'],
      [UNKNOWN, false, 'NOT_FOUND'],
      [foreign, false, 'NOT_FOUND'],
      [deleted, false, 'NOT_FOUND'],
      [last, true, undefined],
    ])
    expect([await statusOf(owner, first), await statusOf(owner, last)]).toEqual(['paused', 'paused'])
    expect(await statusOf(stranger, foreign)).toBe('active')
  })

  test('resumes: active ones stay as they are, locked ones are refused', async () => {
    const owner = await api.owner()
    const [paused = '', active = '', locked = ''] = await monitors(owner, 3)
    await bulk(owner, 'pause', [paused])
    await lock(locked)
    const { results } = await bulk(owner, 'resume', [paused, active, locked])
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false])
    expect([await statusOf(owner, paused), await statusOf(owner, active)]).toEqual(['active', 'active'])
    expect(await audit(owner, 'monitor.resumed')).toMatchObject([{ target_id: paused }])
  })

  test('deletes, but not what a manifest owns', async () => {
    const owner = await api.owner()
    const [mine = '', managed = ''] = await monitors(owner, 2)
    await changeMonitors(api, managed, { managedBy: 'kubernetes' })
    const { results } = await bulk(owner, 'delete', [mine, managed])
    expect(results).toMatchObject([{ ok: true }, { ok: false, error: { code: 'CONFLICT' } }])
    expect(await statusOf(owner, mine)).toBeUndefined()
    expect(await statusOf(owner, managed)).toBe('active')
  })

  test('runs as far as the quota goes, with the details of what is used up', async () => {
    const owner = await api.owner()
    const ids = await monitors(owner, 3)
    await api.sql(
      `update team_usage set runs_limit = 10, runs_used = 9, credits = 1 where team_id = '${owner.team_id}'`,
    )
    const { results } = await bulk(owner, 'run', ids)
    expect(results).toEqual([
      { id: ids[0], ok: true, run_id: expect.any(String) },
      { id: ids[1], ok: true, run_id: expect.any(String) },
      {
        id: ids[2],
        ok: false,
        error: {
          code: 'RUN_LIMIT_REACHED',
          message: expect.any(String),
          details: [{ used: 10, limit: 10, resets_at: expect.any(String), credits_remaining: 0 }],
        },
      },
    ])
    const run = await api.call(owner.api_key, 'GET', `/v1/runs/${results[0]?.run_id}`)
    expect(run.body).toMatchObject({ status: 'running', monitor_id: ids[0] })
  })

  test('answers the run that is queued already, and takes no other from the quota', async () => {
    const owner = await api.owner()
    const ids = await monitors(owner, 1)
    const first = await bulk(owner, 'run', ids)
    expect(await bulk(owner, 'run', ids)).toEqual(first)
    expect((await api.call(owner.api_key, 'GET', '/v1/usage')).body).toMatchObject({ runs: { used: 1 } })
  })

  test('does an id that stands twice once, in any spelling', async () => {
    const owner = await api.owner()
    const [one = '', two = ''] = await monitors(owner, 2)
    const { results } = await bulk(owner, 'pause', [one, two, one, one.toUpperCase()])
    expect(results).toEqual([
      { id: one, ok: true },
      { id: two, ok: true },
    ])
  })

  test.each([
    ['ids[1]', { action: 'pause', ids: [UNKNOWN, '17'] }],
    ['ids', { action: 'pause', ids: [] }],
    ['ids', { action: 'pause', ids: Array.from({ length: 101 }, () => crypto.randomUUID()) }],
    ['', { action: 'pause' }],
    ['action', { action: 'archive', ids: [UNKNOWN] }],
    ['all', { action: 'pause', ids: [UNKNOWN], all: true }],
  ])('whose "%s" is wrong is refused whole, with its path', async (path, body) => {
    const { api_key: key } = await api.owner()
    expect(await post(key, body)).toMatchObject({ status: 422, body: { error: { details: [{ path }] } } })
  })

  test('with a malformed id changes none of the others', async () => {
    const owner = await api.owner()
    const [id = ''] = await monitors(owner, 1)
    await post(owner.api_key, { action: 'delete', ids: [id, 'x'] })
    expect(await statusOf(owner, id)).toBe('active')
  })

  test('takes a hundred ids', async () => {
    const owner = await api.owner()
    const ids = Array.from({ length: 100 }, () => crypto.randomUUID())
    expect(await bulk(owner, 'run', ids)).toMatchObject({ succeeded: 0, failed: 100 })
  })

  test('is audited once with action and counts, and on each monitor that it changed', async () => {
    const owner = await api.owner()
    const ids = await monitors(owner, 2)
    await bulk(owner, 'pause', [...ids, UNKNOWN])
    expect(await audit(owner, 'monitor.bulk_action')).toEqual([
      {
        action: 'monitor.bulk_action',
        target_id: null,
        actor_type: 'api_key',
        metadata: { action: 'pause', succeeded: 2, failed: 1 },
      },
    ])
    expect((await audit(owner, 'monitor.paused')).map(({ target_id }) => target_id)).toEqual(ids)
  })

  test('that did nothing is not audited', async () => {
    const owner = await api.owner()
    await bulk(owner, 'delete', [UNKNOWN])
    expect(await audit(owner, 'monitor.bulk_action')).toEqual([])
  })

  test('wakes the workers when there is something to run', async () => {
    const owner = await api.owner()
    const ids = await monitors(owner, 1)
    wakes = 0
    await bulk(owner, 'run', ids)
    expect(wakes).toBe(1)
  })

  test('needs what changing monitors needs', async () => {
    const owner = await api.owner()
    for (const credential of [await api.member(owner, 'viewer'), await api.key(owner, 'read')])
      expect((await post(credential, { action: 'pause', ids: [UNKNOWN] })).status).toBe(403)
    expect((await post(await api.member(owner, 'member'), { action: 'pause', ids: [UNKNOWN] })).status).toBe(200)
  })
})

describe('labels and the interval of many monitors', () => {
  const of = async (owner: CreatedOwner, id: string) =>
    (await api.call(owner.api_key, 'GET', `/v1/monitors/${id}`)).body as Readonly<Record<string, unknown>>
  const ask = async (owner: CreatedOwner, body: object) =>
    (await post(owner.api_key, body)).body as never as MonitorBulkDone

  test('are added and taken away, and the others stay', async () => {
    const owner = await api.owner()
    const ids = await monitors(owner, 2)
    await ask(owner, { action: 'label', ids, labels: { add: { team: 'shop', env: 'live' } } })
    const done = await ask(owner, {
      action: 'label',
      ids,
      labels: { add: { team: 'web' }, remove: ['env', 'unknown'] },
    })
    expect(done).toMatchObject({ action: 'label', succeeded: 2, failed: 0 })
    for (const id of ids) expect((await of(owner, id))['labels']).toEqual({ team: 'web' })
    expect(await audit(owner, 'monitor.updated')).toHaveLength(4)
  })

  test('get another key with the values that they have, which replace those of that key', async () => {
    const owner = await api.owner()
    const [first = '', second = '', third = ''] = await monitors(owner, 3)
    await ask(owner, { action: 'label', ids: [first, second], labels: { add: { team: 'shop', env: 'live' } } })
    await ask(owner, { action: 'label', ids: [second], labels: { add: { team: 'web', squad: 'old' } } })
    const labels = { rename: { team: 'squad', none: 'other' }, remove: ['env'] }
    const done = await ask(owner, { action: 'label', ids: [first, second, third], labels })
    expect(done).toMatchObject({ succeeded: 3, failed: 0 })
    const now = await Promise.all([first, second, third].map(async (id) => (await of(owner, id))['labels']))
    expect(now).toEqual([{ squad: 'shop' }, { squad: 'web' }, {}])
    for (const name of ['', '-x', 'a b'])
      expect(
        (await post(owner.api_key, { action: 'label', ids: [first], labels: { rename: { squad: name } } })).status,
      ).toBe(422)
  })

  test('are refused one by one where a plan or a manifest says so', async () => {
    const owner = await api.owner({ plan: 'free' })
    const [id = ''] = await monitors(owner, 1)
    const done = await ask(owner, { action: 'interval', ids: [id, UNKNOWN], schedule_interval_seconds: 7_200 })
    expect(done).toMatchObject({ succeeded: 1, failed: 1, results: [{ ok: true }, { error: { code: 'NOT_FOUND' } }] })
    expect((await of(owner, id))['schedule_interval_seconds']).toBe(7_200)
    const short = await ask(owner, { action: 'interval', ids: [id], schedule_interval_seconds: 1 })
    expect(short.results[0]?.error).toMatchObject({ code: 'VALIDATION_ERROR' })
    const long = { labels: { add: { team: 'x'.repeat(64) } } }
    expect((await post(owner.api_key, { action: 'label', ids: [id], ...long })).status).toBe(422)
  })

  test.each([
    [{ action: 'label' }],
    [{ action: 'interval' }],
    [{ action: 'pause', labels: {} }],
    [{ action: 'label', labels: {}, until: null }],
  ])('need the keys of their action, and no others: %j', async (body) => {
    const owner = await api.owner()
    expect((await post(owner.api_key, { ids: [UNKNOWN], ...body })).status).toBe(422)
  })

  test('of searches are changed, and they are muted and paused, by the route of searches', async () => {
    const owner = await api.owner()
    const body = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 3_600, target_domain: 'example.com' }
    const { body: made } = await api.call(owner.api_key, 'POST', '/v1/serp-monitors', body)
    const id = String(made['id'])
    const bulkSearches = (sent: object) =>
      api.call(owner.api_key, 'POST', '/v1/serp-monitors/bulk', { ids: [id], ...sent })
    for (const sent of [
      { action: 'label', labels: { add: { team: 'seo' } } },
      { action: 'mute', until: null, reason: 'a move' },
      { action: 'pause' },
    ])
      expect((await bulkSearches(sent)).body).toMatchObject({ succeeded: 1, failed: 0 })
    const { body: now } = await api.call(owner.api_key, 'GET', `/v1/serp-monitors/${id}`)
    expect(now).toMatchObject({ labels: { team: 'seo' }, status: 'paused', mute: { until: null, reason: 'a move' } })
    const { body: row } = await api.call(owner.api_key, 'GET', '/v1/overview?muted=true')
    expect(row['data']).toMatchObject([{ id, mute: { until: null, drop: false } }])
    expect((await api.call(owner.api_key, 'GET', '/v1/overview/counts')).body).toMatchObject({ muted: 1 })
    expect((await api.call(owner.api_key, 'GET', '/v1/overview?muted=false')).body['data']).toEqual([])
    // A page is none of theirs.
    const [page = ''] = await monitors(owner, 1)
    const { body: refused } = await api.call(owner.api_key, 'POST', '/v1/serp-monitors/bulk', {
      ids: [page],
      action: 'pause',
    })
    expect(refused).toMatchObject({ failed: 1, results: [{ error: { code: 'NOT_FOUND' } }] })
  })
})

describe('a bulk action by a filter', () => {
  const labelled = async () => {
    const owner = await api.owner({ plan: 'unlimited' })
    const ids = await monitors(owner, 3)
    await post(owner.api_key, { action: 'label', ids: ids.slice(0, 2), labels: { add: { team: 'shop' } } })
    const search = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 3_600, target_domain: 'example.com' }
    const { body } = await api.call(owner.api_key, 'POST', '/v1/serp-monitors', { ...search, labels: { team: 'shop' } })
    return { owner, ids, rank: String(body['id']) }
  }
  const read = async ({ api_key: key }: CreatedOwner, path: string) => (await api.call(key, 'GET', path)).body
  const filter = { label: 'team=shop' }

  test('is about all monitors of its kind that the filter leaves', async () => {
    const { owner, ids, rank } = await labelled()
    const labels = { add: { env: 'live' }, remove: ['team'] }
    const { status, body } = await post(owner.api_key, { action: 'label', labels, filter, expected: 2 })
    expect([status, body]).toMatchObject([200, { succeeded: 2, failed: 0 }])
    expect((body as never as MonitorBulkDone).results.map(({ id }) => id).toSorted()).toEqual(
      ids.slice(0, 2).toSorted(),
    )
    expect(await read(owner, `/v1/monitors/${ids[0]}`)).toMatchObject({ labels: { env: 'live' } })
    expect(await read(owner, `/v1/monitors/${ids[2]}`)).not.toHaveProperty('labels.env')
    expect(await read(owner, `/v1/serp-monitors/${rank}`)).toMatchObject({ labels: { team: 'shop' } })
  })

  test('does nothing where the filter leaves another number, which the refusal says', async () => {
    const { owner, ids } = await labelled()
    const asked = { action: 'interval', schedule_interval_seconds: 7_200, filter, expected: 3 }
    const { status, body } = await post(owner.api_key, asked)
    expect([status, body['error']]).toMatchObject([409, { message: 'The filter leaves 2 monitors and not 3.' }])
    expect(await read(owner, `/v1/monitors/${ids[0]}`)).toMatchObject({ schedule_interval_seconds: 3_600 })
  })

  test.each([
    [{ action: 'pause' }],
    [{ action: 'pause', filter: {} }],
    [{ action: 'pause', ids: [UNKNOWN], filter: {}, expected: 1 }],
    [{ action: 'pause', filter: { kind: 'serp' }, expected: 1 }],
  ])('is refused as %j', async (asked) => {
    const owner = await api.owner()
    expect((await post(owner.api_key, asked)).status).toBe(422)
  })
})
