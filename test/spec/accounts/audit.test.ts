import { describe, expect, test } from 'vitest'
import { AUDIT_ACTIONS } from '../../../schema/account/audit.ts'
import { createMonitor, pathsOf } from '../../support/api/monitor-requests.ts'
import { acceptAs, accountOf, invite, type Person, personOf, setClock, tokenFor } from '../../support/api/people.ts'
import { type Answer, serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi('scale', { hasMail: true }))

const boss = (plan: 'free' | 'pro' | 'scale' = 'scale') => accountOf(served, plan)
const events = ({ body }: Answer) => body.data as never as Record<string, unknown>[]
const actionsOf = async ({ client }: Person, query = '') =>
  events(await client.get(`/v1/team/audit${query}`)).map(({ action }) => action)
const keyOf = async ({ client }: Person, name = 'CI') => {
  const { body } = await client.post('/v1/keys', { name, scopes: ['read', 'write'] })
  return { client: served.as(body.key), id: (body['apiKey'] as { id: string }).id, prefix: body.key.slice(0, 8) }
}

/** The lines of an export, each as its cells. */
async function csvOf({ account }: Person, query = '') {
  const answer = await fetch(`${served.baseUrl}/v1/team/audit/export${query}`, {
    headers: { authorization: `Bearer ${account.session_token}` },
  })
  const text = await answer.text()
  const lines = text.split('\r\n').slice(0, -1)
  const cells = lines.map((line) =>
    [...line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell = '']) => cell.replaceAll('""', '"')),
  )
  return { answer, text, head: cells[0], rows: cells.slice(1) }
}

describe('GET /v1/team/audit', () => {
  test('answers events newest first, with pagination and every distinct action recorded for the team', async () => {
    const person = await boss()
    const { id } = await createMonitor(person.client)
    await person.client.patch('/v1/team', { name: 'Night shift' })
    await person.client.post(`/v1/monitors/${id}/pause`)
    const { body } = await person.client.get('/v1/team/audit')
    expect(body.data.map((event) => event['action'])).toEqual(['monitor.paused', 'team.renamed', 'monitor.created'])
    expect(body.pagination).toEqual({ page: 1, limit: 50, total: 3, totalPages: 1, hasMore: false })
    expect(body['actions']).toEqual(['monitor.created', 'monitor.paused', 'team.renamed'])
  })

  test('finds what a key did, and what was done to one thing', async () => {
    const person = await boss()
    const { client, id: key } = await keyOf(person, 'Deploy')
    const { id } = await createMonitor(client)
    await person.client.post(`/v1/monitors/${id}/pause`)
    const actions = async (query: string) =>
      events(await person.client.get(`/v1/team/audit?${query}`)).map(({ action }) => action)
    expect(await actions(`actor_key_id=${key}`)).toEqual(['monitor.created'])
    expect(await actions(`target_id=${id}`)).toEqual(['monitor.paused', 'monitor.created'])
    expect(await actions(`actor_user_id=${key}`)).toEqual([])
  })

  test('an event says who did what to what, from where, with what', async () => {
    const person = await boss()
    const { id, name } = await createMonitor(person.client)
    const [event] = events(await person.client.get('/v1/team/audit'))
    expect(event).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: 'monitor.created',
      target_type: 'monitor',
      target_id: id,
      target_label: name,
      actor: { type: 'user', id: person.account.user_id, label: person.account.email },
      metadata: {},
      ip_address: '127.0.0.1',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  test('the actor of a key is its id and its name', async () => {
    const person = await boss()
    const key = await keyOf(person, 'Deploy')
    await createMonitor(key.client)
    const [event] = events(await person.client.get('/v1/team/audit?action=monitor.created'))
    expect(event?.['actor']).toEqual({ type: 'api_key', id: key.id, label: 'Deploy' })
    const [made] = events(await person.client.get('/v1/team/audit?action=api_key.created'))
    expect(made).toMatchObject({ target_type: 'api_key', target_id: key.id, target_label: key.prefix })
  })

  test('takes page, and limit from 1 to 100 with 50 as the default', async () => {
    const person = await boss()
    for (const name of ['a', 'b', 'c']) await person.client.patch('/v1/team', { name })
    const page = async (query: string) => (await person.client.get(`/v1/team/audit?${query}`)).body
    const names = (body: Answer['body']) => body.data.map((event) => event['target_label'])
    expect(names(await page('limit=2'))).toEqual(['c', 'b'])
    expect(names(await page('limit=2&page=2'))).toEqual(['a'])
    expect((await page('limit=2&page=2')).pagination).toMatchObject({ total: 3, totalPages: 2, hasMore: false })
    expect(await page('limit=2&page=3')).toMatchObject({ data: [], pagination: { total: 3 } })
    expect((await page('limit=100')).pagination).toMatchObject({ limit: 100 })
    for (const [query, path] of [
      ['limit=101', 'limit'],
      ['limit=0', 'limit'],
      ['page=0', 'page'],
    ] as const)
      expect(pathsOf(await person.client.get(`/v1/team/audit?${query}`))).toEqual([path])
  })

  test('filters by action, by the user who acted, by target type, and by bounds on created_at', async () => {
    const person = await boss()
    const other = await accountOf(served)
    await acceptAs(other, await tokenFor(served, person, other, 'admin'))
    await createMonitor(other.client)
    await createMonitor((await keyOf(person)).client)
    expect(await actionsOf(person, '?action=monitor.created')).toEqual(['monitor.created', 'monitor.created'])
    expect(await actionsOf(person, `?actor_user_id=${other.account.user_id}`)).toEqual([
      'monitor.created',
      'team.member_joined',
    ])
    expect(await actionsOf(person, '?target_type=invitation')).toEqual(['team.member_invited'])
    const all = events(await person.client.get('/v1/team/audit'))
    expect(all).toHaveLength(5)
    for (const at of all.map((event) => String(event['created_at']))) {
      const within = all.filter((event) => event['created_at'] === at).length
      expect(await actionsOf(person, `?from=${at}&to=${at}`)).toHaveLength(within)
      const since = all.filter((event) => String(event['created_at']) >= at).length
      expect(await actionsOf(person, `?from=${at}`)).toHaveLength(since)
      expect(await actionsOf(person, `?to=${at}`)).toHaveLength(all.length - since + within)
    }
    expect(await actionsOf(person, `?action=monitor.created&actor_user_id=${person.account.user_id}`)).toEqual([])
    // What is listed as recorded does not depend on the filter.
    expect((await person.client.get('/v1/team/audit?action=monitor.created')).body['actions']).toHaveLength(4)
  })

  test.each([
    ['action=monitor.exploded', 'action'],
    ['actor_user_id=me', 'actor_user_id'],
    ['target_type=team_member', 'target_type'],
    ['from=yesterday', 'from'],
    ['to=', 'to'],
    ['from=0000-01-01T00:00:00Z', 'from'],
    ['from=0001-01-01T00:00:00%2B01:00', 'from'],
    ['to=2026-01-01T00:00:00%2B23:00', 'to'],
    ['to=2026-01-01T00:00:00Z[UTC]', 'to'],
    ['to=9999-12-31T23:59:59-23:59', 'to'],
    ['since=2026-01-01T00:00:00Z', 'since'],
  ])('%s is 422', async (query, path) => {
    const { client } = await boss()
    expect(pathsOf(await client.get(`/v1/team/audit?${query}`))).toEqual([path])
  })

  test('admins, the owner and API keys may read it; members and viewers may not', async () => {
    const person = await boss()
    for (const [role, status] of [
      ['admin', 200],
      ['member', 403],
      ['viewer', 403],
    ] as const) {
      const other = await accountOf(served)
      await acceptAs(other, await tokenFor(served, person, other, role))
      expect([role, (await other.client.get('/v1/team/audit')).status]).toEqual([role, status])
      expect([role, (await csvOf(other)).answer.status]).toEqual([role, status])
    }
    const { client } = await keyOf(person)
    expect((await client.get('/v1/team/audit')).status).toBe(200)
    expect((await client.get('/v1/team/audit/export')).status).toBe(403)
  })

  test("shows the events of the own team, and no other team's", async () => {
    const [one, other] = [await boss(), await boss()]
    await one.client.patch('/v1/team', { name: 'One' })
    expect(await actionsOf(other)).toEqual([])
    expect((await other.client.get('/v1/team/audit')).body['actions']).toEqual([])
    expect((await csvOf(other)).rows).toEqual([])
  })

  test('reads are not recorded', async () => {
    const person = await boss()
    const { id } = await createMonitor(person.client)
    for (const path of [
      '/v1/team',
      '/v1/team/members',
      '/v1/monitors',
      `/v1/monitors/${id}/signing-secret`,
      '/v1/usage',
    ])
      expect((await person.client.get(path)).status).toBe(200)
    await csvOf(person)
    expect(await actionsOf(person)).toEqual(['monitor.created'])
  })

  test("events before the plan's retention are not returned", async () => {
    const person = await boss('free')
    await person.client.patch('/v1/team', { name: 'Old' })
    await setClock(served, '14 days 1 minute')
    const late = await person.client.get('/v1/team/audit')
    const exported = await csvOf(person)
    await setClock(served, '0')
    expect(late.body).toMatchObject({ data: [], actions: [], pagination: { total: 0 } })
    expect(exported.rows).toEqual([])
    expect(await actionsOf(person)).toEqual(['team.renamed'])
  })
})

describe('what is recorded of a team', () => {
  test('each change, with the roles, names and addresses before and after', async () => {
    const person = await boss()
    const other = await accountOf(served)
    const { id: revoked } = (await invite(person, 'someone@example.com', 'viewer')).body
    await person.client.post(`/v1/team/invitations/${revoked}/resend`)
    await person.client.delete(`/v1/team/invitations/${revoked}`)
    const token = await tokenFor(served, person, other)
    await acceptAs(other, token)
    const path = `/v1/team/members/${other.account.user_id}`
    await person.client.patch(path, { role: 'admin' })
    await person.client.patch(path, { role: 'admin' })
    await person.client.delete(path)
    await acceptAs(other, await tokenFor(served, person, other, 'viewer'))
    await other.client.delete(path)
    const { name } = (await person.client.get('/v1/team')).body
    await person.client.patch('/v1/team', { name: 'New name' })
    await person.client.patch('/v1/team', { name: 'New name' })
    const recorded = events(await person.client.get('/v1/team/audit')).toReversed()
    const { email, user_id } = other.account
    const boss_ = person.account.email
    expect(
      recorded.map((event) => [
        event['action'],
        event['target_type'],
        event['target_label'],
        (event['actor'] as { label: string }).label,
        event['metadata'],
      ]),
    ).toEqual([
      ['team.member_invited', 'invitation', 'someone@example.com', boss_, { role: 'viewer' }],
      ['team.invitation_resent', 'invitation', 'someone@example.com', boss_, { role: 'viewer' }],
      ['team.invitation_revoked', 'invitation', 'someone@example.com', boss_, { role: 'viewer' }],
      ['team.member_invited', 'invitation', email, boss_, { role: 'member' }],
      ['team.member_joined', 'member', email, email, { role: 'member', invitation_id: expect.any(String) }],
      ['team.member_role_changed', 'member', email, boss_, { previous_role: 'member', role: 'admin' }],
      ['team.member_removed', 'member', email, boss_, { role: 'admin' }],
      ['team.member_invited', 'invitation', email, boss_, { role: 'viewer' }],
      ['team.member_joined', 'member', email, email, { role: 'viewer', invitation_id: expect.any(String) }],
      ['team.member_left', 'member', email, email, { role: 'viewer' }],
      ['team.renamed', 'team', 'New name', boss_, { previous_name: name, name: 'New name' }],
    ])
    expect(recorded.filter((event) => event['target_type'] === 'member').map((event) => event['target_id'])).toEqual(
      Array.from({ length: 5 }, () => user_id),
    )
    expect(recorded.map((event) => event['ip_address'])).toEqual(recorded.map(() => '127.0.0.1'))
  })

  test('what was refused is not recorded', async () => {
    const person = await boss('free')
    await invite(person, 'taken@example.com')
    const before = await actionsOf(person)
    await invite(person, 'taken@example.com')
    await invite(person, 'full@example.com')
    await person.client.delete(`/v1/team/members/${person.account.user_id}`)
    await person.client.patch('/v1/team', { name: '' })
    expect(await actionsOf(person)).toEqual(before)
  })

  test('the 33 actions of the interface and their target types are known', () => {
    const given = Object.keys(AUDIT_ACTIONS).filter((one) => !BEYOND.includes(one) && !one.startsWith('status_page.'))
    expect(given).toHaveLength(33)
    expect(new Set(given.map((action) => AUDIT_ACTIONS[action as keyof typeof AUDIT_ACTIONS]))).toEqual(
      new Set(
        ['monitor', 'serp_monitor', 'delivery', 'api_key', 'settings', 'team', 'member', 'invitation'].concat(
          'subscription',
        ),
      ),
    )
  })
})

/** What is recorded beyond the contract. */
const BEYOND = [
  'monitor.muted',
  'monitor.unmuted',
  'serp_monitor.muted',
  'serp_monitor.unmuted',
  'delivery.tested',
  'delivery.released',
  'delivery.dropped',
  'settings.error_notifications_toggled',
  'billing.credits_granted',
  'account.email_changed',
  'account.password_reset_issued',
  'account.deleted',
]

describe('GET /v1/team/audit/export', () => {
  test('answers a CSV file to save, with the columns in their order', async () => {
    const person = await boss()
    await person.client.patch('/v1/team', { name: 'Night "shift", \n2' })
    const { client, prefix } = await keyOf(person, 'Deploy')
    const { id } = await createMonitor(client)
    const { answer, head, rows } = await csvOf(person)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/)
    expect(head).toEqual(
      'time actor actor_type action target_type target_id target_label ip_address metadata'.split(' '),
    )
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { email, team_id } = person.account
    const { name } = JSON.parse(rows[2]?.[8] ?? '') as { name: string }
    expect(rows).toEqual([
      [time, 'Deploy', 'api_key', 'monitor.created', 'monitor', id, 'Prices', '127.0.0.1', '{}'],
      [time, email, 'user', 'api_key.created', 'api_key', expect.any(String), prefix, '127.0.0.1', expect.any(String)],
      [time, email, 'user', 'team.renamed', 'team', team_id, 'Night "shift", \n2', '127.0.0.1', expect.any(String)],
    ])
    expect(name).toBe('Night "shift", \n2')
  })

  test('what the system did has the actor System', async () => {
    const { rows } = await csvOf(personOf(served, served.owner))
    expect(rows[0]?.slice(1, 4)).toEqual(['System', 'system', 'api_key.created'])
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '＠a'])('%j is no formula in it', async (name) => {
    const person = await boss()
    await createMonitor(person.client, { name })
    // What follows a tab or a line break is a cell of its own in some spreadsheets.
    const cell = `'${name.replace(/^[\t\r]/, "$&'")}`
    expect((await csvOf(person)).rows[0]?.[6]).toBe(cell)
  })

  test('takes the same filters, and no page or limit', async () => {
    const person = await boss()
    const { id } = await createMonitor(person.client)
    await person.client.post(`/v1/monitors/${id}/pause`)
    await person.client.patch('/v1/team', { name: 'a' })
    const actions = async (query: string) => (await csvOf(person, query)).rows.map((row) => row[3])
    expect(await actions('')).toEqual(['team.renamed', 'monitor.paused', 'monitor.created'])
    expect(await actions('?action=monitor.paused')).toEqual(['monitor.paused'])
    expect(await actions('?target_type=team')).toEqual(['team.renamed'])
    expect(await actions('?to=2020-01-01T00:00:00Z')).toEqual([])
    expect(await actions(`?actor_user_id=${crypto.randomUUID()}`)).toEqual([])
    for (const query of ['page=1', 'limit=5'])
      expect(pathsOf(await person.client.get(`/v1/team/audit/export?${query}`))).toEqual([query.split('=')[0]])
  })

  test('is JSON below /json, with the same events as the list, and none as an empty list', async () => {
    const person = await boss()
    const read = async (query = '') => (await person.client.get(`/v1/team/audit/export/json${query}`)).body
    expect(await read()).toEqual({ data: [] })
    const { id } = await createMonitor(person.client)
    await person.client.post(`/v1/monitors/${id}/pause`)
    expect((await read()).data).toEqual(events(await person.client.get('/v1/team/audit')))
    expect(await read('?action=monitor.paused')).toMatchObject({ data: [{ action: 'monitor.paused' }] })
  })

  test('as JSON is whole over several batches', async () => {
    const person = await boss()
    await served.api.sql(`insert into audit_events (team_id, action, target_type, actor_type, actor_label, created_at)
      select '${person.account.team_id}', 'monitor.updated', 'monitor', 'system', 'System', now() - n * interval '1 s'
      from generate_series(1, 1000) n`)
    const { body } = await person.client.get('/v1/team/audit/export/json')
    expect(body.data).toHaveLength(1000)
  })

  /** A team with more events than an export has, each of more than a thousand characters. */
  async function busyTeam() {
    const person = await boss()
    const { team_id } = person.account
    await served.api.sql(`insert into audit_events
      (team_id, action, target_type, target_label, actor_type, actor_label, metadata, created_at)
      select '${team_id}', 'monitor.updated', 'monitor', 'number ' || n, 'system', 'System',
        jsonb_build_object('fill', repeat('x', 1000)), clock() - n * interval '1 second'
      from generate_series(1, 50020) n`)
    await served.api.sql('analyze audit_events')
    const answer = await fetch(`${served.baseUrl}/v1/team/audit/export`, {
      headers: { authorization: `Bearer ${person.account.session_token}` },
    })
    return { team_id, answer }
  }

  /** The lines of an answer, and the last one. */
  async function linesOf(answer: Response) {
    const decoder = new TextDecoder()
    let [count, last] = [0, '']
    for await (const part of answer.body ?? []) {
      const text = decoder.decode(part as Uint8Array, { stream: true })
      count += text.split('\n').length - 1
      last = (last + text).slice(-1_500)
    }
    return { count, last }
  }

  test('has up to 50,000 rows, the newest', async () => {
    const { answer } = await busyTeam()
    const { count, last } = await linesOf(answer)
    expect(count).toBe(50_001)
    expect(last).toContain('"number 50000"')
  }, 60_000)

  test('is read from the store as it is written: what a slow reader has not asked for is not in memory', async () => {
    const { team_id, answer } = await busyTeam()
    // The head is there, and nobody has read on. What is deleted now was not read before.
    await served.api.sql(`delete from audit_events where team_id = '${team_id}'`)
    const { count } = await linesOf(answer)
    expect(count).toBeGreaterThan(1)
    expect(count).toBeLessThan(40_000)
  }, 60_000)
})
