import { sql } from 'slonik'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PrivateRoute, Route } from '../../../api/http/route.ts'
import { createPatternMatcher, type PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { ACCESS, type Caller, CALLERS } from '../../../schema/account/access.ts'
import { nothing } from '../../../store/db/row.ts'
import { routes } from '../../support/api/all-routes.ts'
import { accountOf } from '../../support/api/people.ts'
import { type Answer, type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { storedHash } from '../../support/database/stored-hash.ts'
import { examplesOf, SECRETS } from './operations.ts'

const DEAD = ['no credentials', 'an expired key', 'a revoked key', 'an expired session', 'an ended session'] as const

let served: ServedApi
let patterns: PatternMatcher
let exampleOf: ReturnType<typeof examplesOf>
let clients: Readonly<Record<Caller | (typeof DEAD)[number] | 'another team', Client>>
beforeAll(async () => {
  patterns = createPatternMatcher({ timeoutMs: 5_000 })
  served = await serveApi('unlimited', { hasMail: true, patterns })
  const { api, owner, as } = served
  const { store } = api.services
  exampleOf = examplesOf(served, owner)
  const [late, revoked] = [await api.key(owner, 'read', 'write'), await api.key(owner, 'read', 'write')]
  await store.query(sql.type(nothing)`
    update api_keys set expires_at = clock() - interval '1 s' where prefix = ${late.slice(0, 8)}`)
  await store.query(sql.type(nothing)`update api_keys set revoked_at = clock() where prefix = ${revoked.slice(0, 8)}`)
  const over = await accountOf(served)
  await store.query(sql.type(nothing)`
    update auth.sessions set expires_at = now() - interval '1 s' where user_id = ${over.account.user_id}::uuid`)
  const ended = await accountOf(served)
  await store.query(sql.type(nothing)`delete from auth.sessions where user_id = ${ended.account.user_id}::uuid`)
  clients = {
    viewer: as(await api.member(owner, 'viewer')),
    member: as(await api.member(owner, 'member')),
    admin: as(await api.member(owner, 'admin')),
    owner: as(owner.session_token),
    'read key': as(await api.key(owner, 'read')),
    'write key': as(await api.key(owner, 'write')),
    'no credentials': as(null),
    'an expired key': as(late),
    'a revoked key': as(revoked),
    'an expired session': over.client,
    'an ended session': ended.client,
    'another team': as((await api.owner({ plan: 'unlimited' })).session_token),
  }
})
afterAll(async () => {
  await served.close()
  await patterns.close()
})

const nameOf = ({ method, path }: Route) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
const operations = routes.flatMap((route): [string, PrivateRoute][] =>
  route.policy === 'public' ? [] : [[nameOf(route), route as PrivateRoute]],
)

async function call(client: Client, { method }: Route, { path, body }: { path: string; body?: unknown }) {
  if (method === 'GET') return read(client, path)
  if (method === 'DELETE') return client.delete(path)
  return method === 'PATCH' ? client.patch(path, body) : client.post(path, body)
}
/** Some answers are no JSON. */
const read = (client: Client, path: string) =>
  path.endsWith('/export') || path.endsWith('/manifest') || path.endsWith('/preview')
    ? client.get(path).catch(() => ({ status: 200, body: {} }) as Answer)
    : client.get(path)

/** What whoever is let in gets, where these operations have nothing to do here. */
const INSTEAD: Readonly<Record<string, readonly [status: number, why: string]>> = {
  'POST /v1/monitors/preview': [503, 'this process makes no previews'],
  'POST /v1/serp-monitors/preview': [503, 'this process makes no previews'],
  'POST /v1/looks': [503, 'this process makes no looks'],
  'POST /v1/looks/{id}/extract': [503, 'this process makes no looks'],
  'POST /v1/looks/{id}/candidates': [503, 'this process makes no looks'],
  'GET /v1/runs/{id}/diff': [404, 'the run has no texts'],
  'GET /v1/run-images/{id}': [404, 'the run has no pictures'],
  'DELETE /v1/account/sessions/{id}': [404, 'a session is of one person'],
  'DELETE /v1/account': [422, 'the body does not name the account'],
  'POST /v1/team/accept': [404, 'the token is unknown'],
  'POST /v1/billing/checkout': [409, 'nothing is sold'],
  'POST /v1/billing/credits': [409, 'nothing is sold'],
  'POST /v1/billing/portal': [409, 'nothing is sold'],
  'POST /v1/billing/cancel': [409, 'there is no subscription'],
  'POST /v1/billing/resume': [409, 'there is no subscription'],
}

describe.each(operations)('%s', (name, route) => {
  test('gives each role and each key the status of the table', async () => {
    const allowed: readonly Caller[] = ACCESS[route.policy]
    const done = INSTEAD[name]?.[0] ?? Number(Object.keys(route.answers)[0])
    for (const caller of CALLERS) {
      // A viewer and a member may remove nobody but themselves.
      const isOther = route.policy === 'members.leave' && (caller === 'viewer' || caller === 'member')
      const { status, body } = await call(clients[caller], route, await exampleOf(route))
      expect(status, `${caller}: ${JSON.stringify(body)}`).toBe(allowed.includes(caller) && !isOther ? done : 403)
      if (status === 403)
        expect(body.error).toMatchObject({
          code: 'FORBIDDEN',
          message: expect.stringMatching(/^(Your role \w+|An API key) .*\([a-z]+\.[a-z]+\)\. Ask .*the owner\.$/),
        })
    }
  })

  test('is 401 without credentials, and with ones that have expired or were revoked', async () => {
    const path = route.path.replaceAll(/:\w+/g, crypto.randomUUID())
    for (const caller of DEAD)
      expect(await call(clients[caller], route, { path, body: {} }), caller).toMatchObject({
        status: 401,
        body: { error: { code: 'UNAUTHORIZED' } },
      })
  })
})

const withId = operations.filter(([, { path }]) => /:(id|userId)/.test(path))
test.each(withId)('%s is 404 for an id of another team, and changes nothing', async (_name, route) => {
  const example = await exampleOf(route)
  const before = await everything()
  const { status, body } = await call(clients['another team'], route, example)
  expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  expect(await everything()).toBe(before)
})

const everything = () => storedHash(served.api.services.store)

describe('an id of another team in a body or a filter', () => {
  const idOf = async (path: string) =>
    (await exampleOf(routes.find((route) => route.path === path) as Route)).path.split('/')[3] ?? ''

  test('of a bulk action is not found, and changes nothing', async () => {
    const ids = [await idOf('/v1/monitors/:id')]
    const before = await everything()
    const { body } = await clients['another team'].post('/v1/monitors/bulk', { action: 'delete', ids })
    expect(body).toMatchObject({ succeeded: 0, results: [{ ok: false, error: { code: 'NOT_FOUND' } }] })
    expect(await everything()).toBe(before)
  })

  test('of a switch is 404, and the session stays where it was', async () => {
    const before = (await clients['another team'].get('/v1/team')).body.id
    const answer = await clients['another team'].post('/v1/team/switch', { team_id: served.owner.team_id })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
    expect((await clients['another team'].get('/v1/team')).body.id).toBe(before)
  })

  test('of a filter selects nothing', async () => {
    const id = await idOf('/v1/monitors/:id')
    for (const list of ['monitors', 'serp-monitors', 'deliveries'])
      expect((await clients['another team'].get(`/v1/${list}?monitor_id=${id}`)).body).toMatchObject({ data: [] })
    const log = await clients['another team'].get(`/v1/team/audit?actor_user_id=${served.owner.user_id}`)
    expect(log.body).toMatchObject({ data: [] })
  })
})

describe('who may not write', () => {
  const text = async (caller: Caller, path: string) => {
    const { api, owner } = served
    const credential = { viewer: await api.member(owner, 'viewer'), 'read key': await api.key(owner, 'read') }
    const token = caller === 'viewer' || caller === 'read key' ? credential[caller] : owner.session_token
    const answer = await fetch(served.baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
    return answer.text()
  }
  const reading = operations.filter(([, { method }]) => method === 'GET')

  test.each(reading)('sees no secret in the answer of %s', async (_name, route) => {
    const { path } = await exampleOf(route)
    for (const caller of ['viewer', 'read key'] as const) {
      const shown = await text(caller, path)
      for (const secret of SECRETS) expect(shown, caller).not.toContain(secret)
    }
  })

  test('sees a mask instead of each secret, and whoever may write sees the secret', async () => {
    const route = routes.find(({ path }) => path === '/v1/monitors/:id') as Route
    const { path } = await exampleOf(route)
    expect(JSON.parse(await text('viewer', path))).toMatchObject({
      request_headers: { 'X-Key': '********' },
      deliveries: [
        { type: 'webhook', url: 'https://hooks.example.com/********', headers: { Authorization: '********' } },
        { type: 'slack', webhookUrl: 'https://hooks.slack.example/********' },
        { type: 'discord', webhookUrl: 'https://discord.example/********' },
        { type: 'email', to: 'ops@example.com' },
      ],
    })
    const delivery = await exampleOf(routes.find(({ path: own }) => own === '/v1/deliveries/:id') as Route)
    expect(JSON.parse(await text('viewer', delivery.path))).toMatchObject({
      destination: 'https://hooks.example.com/********',
    })
    for (const caller of ['member', 'write key'] as const) {
      const { body } = await clients[caller].get(path)
      for (const secret of SECRETS) expect(JSON.stringify(body)).toContain(secret)
    }
  })

  test('a body that holds the mask is 422 at its path, so that no secret is replaced by it', async () => {
    const { path } = await exampleOf(routes.find(({ path: own }) => own === '/v1/monitors/:id') as Route)
    const { request_headers, deliveries } = JSON.parse(await text('viewer', path)) as Record<string, unknown>
    const answer = await clients.member.patch(path, { request_headers, deliveries })
    expect(answer.status).toBe(422)
    expect(answer.body.error.details.map(({ path: at }) => at)).toEqual([
      'request_headers["X-Key"]',
      'deliveries[0].url',
      'deliveries[0].headers.Authorization',
      'deliveries[1].webhookUrl',
      'deliveries[2].webhookUrl',
    ])
    expect(answer.body.error.details[0]?.message).toContain('send the secret itself')
    expect((await clients.member.get(path)).body).toMatchObject({ request_headers: { 'X-Key': 's3cret-request' } })
  })
})
