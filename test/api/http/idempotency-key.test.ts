import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { row } from '../../../store/db/row.ts'
import { purgeIdempotentAnswers, takeIdempotencyKey } from '../../../store/maintenance/idempotent-answers.ts'
import { MONITOR } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const SEARCH = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }

interface Sent {
  readonly status: number
  readonly replayed: string | null
  readonly text: string
  readonly body: Readonly<Record<string, unknown>> & { readonly error?: { readonly code: string } }
}

async function post(path: string, body: unknown, key: string, credential = served.owner.api_key): Promise<Sent> {
  const answer = await fetch(served.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  const replayed = answer.headers.get('idempotency-replayed')
  return { status: answer.status, replayed, text, body: JSON.parse(text) as Sent['body'] }
}
const total = async (path = '/v1/monitors') =>
  ((await served.me.get(path)).body.pagination as { readonly total: number }).total

test.each([
  ['/v1/monitors', MONITOR],
  ['/v1/serp-monitors', SEARCH],
])('POST %s?paused=true creates it paused, and the key knows the query', async (path, body) => {
  const made = await post(`${path}?paused=true`, body, 'paused')
  expect(made).toMatchObject({ status: 201, body: { status: 'paused', next_run_at: null } })
  expect((await served.me.get(`${path}/${String(made.body['id'])}/runs`)).body.data).toEqual([])
  expect(await post(`${path}?paused=true`, body, 'paused')).toMatchObject({ status: 201, replayed: 'true' })
  expect(await post(path, body, 'paused')).toMatchObject({ status: 422 })
  expect(await post(`${path}?paused=maybe`, body, 'maybe')).toMatchObject({ status: 422 })
  expect(await post(`${path}?paused=false`, body, 'active')).toMatchObject({ body: { status: 'active' } })
})

describe.each([
  ['/v1/monitors', '/v1/monitors', MONITOR],
  ['/v1/serp-monitors', '/v1/serp-monitors', SEARCH],
  ['/v1/monitors/from-template/generic-full-page', '/v1/monitors', { url: 'https://example.com/' }],
])('POST %s with an Idempotency-Key', (path, list, body) => {
  test('creates one record however often it is sent, and gives the same answer each time', async () => {
    const before = await total(list)
    const first = await post(path, body, 'again')
    expect(first).toMatchObject({ status: 201, replayed: null })
    const second = await post(path, body, 'again')
    expect(second).toMatchObject({ status: 201, replayed: 'true', text: first.text })
    expect(await total(list)).toBe(before + 1)
    expect(await post(path, body, 'another')).toMatchObject({ status: 201, replayed: null })
    expect(await total(list)).toBe(before + 2)
  })

  test('is refused with another body, and the first answer stays', async () => {
    const first = await post(path, body, 'other-body')
    expect(await post(path, { ...body, name: 'Other' }, 'other-body')).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'VALIDATION_ERROR',
          details: [{ path: 'Idempotency-Key', message: 'was used for another request' }],
        },
      },
    })
    expect((await post(path, body, 'other-body')).text).toBe(first.text)
  })

  test('creates one record when it is sent many times at once', async () => {
    const before = await total(list)
    const sent = await Promise.all(Array.from({ length: 8 }, () => post(path, body, 'at-once')))
    expect(await total(list)).toBe(before + 1)
    const ids = new Set(sent.filter(({ status }) => status === 201).map(({ body: { id } }) => id))
    expect(ids.size).toBe(1)
    for (const { status, body: answer } of sent)
      if (status !== 201) expect([status, answer.error?.code]).toEqual([409, 'CONFLICT'])
  })
})

test('a key of a request under way is 409, and can be used when that one was rolled back', async () => {
  const { services } = served.api
  let answered: Sent | undefined
  const rolledBack = services.store.transaction(async (tx) => {
    const keyed = { teamId: served.owner.team_id, operation: 'postMonitors', key: 'under-way' }
    expect(await takeIdempotencyKey(tx, services.secrets, keyed)).toBeNull()
    answered = await post('/v1/monitors', MONITOR, 'under-way')
    throw new Error('rolled back')
  })
  await expect(rolledBack).rejects.toThrow('rolled back')
  expect(answered).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
  expect(await post('/v1/monitors', MONITOR, 'under-way')).toMatchObject({ status: 201, replayed: null })
})

test('a refused request uses no key', async () => {
  const taken = { ...MONITOR, external_key: 'shop/taken' }
  const { id } = (await served.me.post('/v1/monitors', taken)).body
  expect(await post('/v1/monitors', taken, 'refused')).toMatchObject({ status: 409 })
  expect(await post('/v1/monitors', { ...taken, name: '' }, 'refused')).toMatchObject({ status: 422 })
  await served.me.delete(`/v1/monitors/${id}`)
  expect(await post('/v1/monitors', taken, 'refused')).toMatchObject({ status: 201, replayed: null })
})

test('a key belongs to one team and one operation', async () => {
  expect(await post('/v1/monitors', MONITOR, 'shared')).toMatchObject({ status: 201, replayed: null })
  expect(await post('/v1/serp-monitors', SEARCH, 'shared')).toMatchObject({ status: 201, replayed: null })
  const stranger = await served.anotherTeam()
  const theirs = await post('/v1/monitors', { ...MONITOR, name: 'Theirs' }, 'shared', stranger.owner.api_key)
  expect(theirs).toMatchObject({ status: 201, replayed: null, body: { name: 'Theirs' } })
})

test.each([
  ['a space', 'a b'],
  ['no character', ''],
  ['256 characters', 'a'.repeat(256)],
  ['a letter that is not ASCII', 'é'],
])('a key with %s is 422', async (_, key) => {
  expect(await post('/v1/monitors', MONITOR, key)).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'Idempotency-Key' }] } },
  })
})

test('the creation of an API key is never repeated, whatever the header', async () => {
  const session = served.owner.session_token
  const create = () => post('/v1/keys', { name: 'Script' }, 'never', session)
  const [first, second] = [await create(), await create()]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(first.body['key']).not.toBe(second.body['key'])
})

test('an answer is encrypted, repeated for a day, and deleted after it', async () => {
  const secret = 'https://hooks.example.com/s3cret'
  const body = { ...MONITOR, deliveries: [{ type: 'webhook', url: secret }] }
  const first = await post('/v1/monitors', body, 'a-day')
  expect(first).toMatchObject({ status: 201 })
  const { store } = served.api.services
  const kept = () =>
    store.any(sql.type(row({ text: Type.String() }))`
      select encode(answer, 'escape') as text from idempotent_answers where key = 'a-day'`)
  expect(await kept()).toEqual([{ text: expect.not.stringContaining('s3cret') }])
  const age = (hours: number) =>
    served.api.sql(`update idempotent_answers set created_at = clock() - interval '${hours} hours' where key = 'a-day'`)
  await age(23)
  await purgeIdempotentAnswers(store)
  expect((await post('/v1/monitors', body, 'a-day')).text).toBe(first.text)
  await age(24)
  const later = await post('/v1/monitors', body, 'a-day')
  expect(later).toMatchObject({ status: 201, replayed: null })
  expect(later.body['id']).not.toBe(first.body['id'])
  expect(await kept()).toHaveLength(1)
  await age(24)
  await purgeIdempotentAnswers(store)
  expect(await kept()).toEqual([])
})

test('the answers of a team take as much room as its configurations may, also those of deleted monitors', async () => {
  const small = await served.anotherTeam('free')
  const { api_key: key, team_id: team } = small.owner
  const kept = () =>
    served.api.services.store.oneFirst(sql.type(row({ bytes: Type.Number() }))`
      select kept_answer_bytes as bytes from team_storage where team_id = ${team}::uuid
    `)
  const answers = () =>
    served.api.services.store.oneFirst(sql.type(row({ bytes: Type.Number() }))`
      select coalesce(sum(octet_length(answer)), 0)::int as bytes from idempotent_answers where team_id = ${team}::uuid
    `)
  const made = await post('/v1/monitors', MONITOR, 'first', key)
  await small.delete(`/v1/monitors/${String(made.body['id'])}`)
  expect(await kept()).toBeGreaterThan(0)
  expect(await kept()).toBe(await answers())
  const allow = (bytes: number) =>
    served.api.sql(`update teams set limits = '{"configurationBytes": ${bytes}}' where id = '${team}'`)
  await allow((await kept()) + 100)
  const refused = await post('/v1/monitors', MONITOR, 'second', key)
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } })
  expect((await small.get('/v1/monitors')).body.data).toEqual([])
  expect(await post('/v1/monitors', MONITOR, 'first', key)).toMatchObject({ status: 201, replayed: 'true' })
  // An answer that replaces another one, and one that is deleted, are counted too.
  await allow(1_000_000)
  const age = () =>
    served.api.sql(`
      update idempotent_answers set created_at = clock() - interval '25 hours' where team_id = '${team}'`)
  await age()
  expect(await post('/v1/monitors', { ...MONITOR, name: 'A longer name' }, 'first', key)).toMatchObject({ status: 201 })
  expect(await kept()).toBe(await answers())
  await age()
  await purgeIdempotentAnswers(served.api.services.store)
  expect(await kept()).toBe(0)
})
