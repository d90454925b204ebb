import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type Answer, type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'

let served: ServedApi
let monitor: string
let run: string
let delivery: string
beforeAll(async () => {
  served = await serveApi()
  monitor = (await createMonitor(served.me, { deliveries: [{ type: 'webhook', url: 'https://example.com/' }] })).id
  run = await seedRun(served.api.services, monitor)
  delivery = await seedDelivery(served.api.services, run, { status: 'success' })
})
afterAll(() => served.close())

const reads = (): [string, (client: Client) => Promise<Answer>][] => [
  ['list monitors', (client) => client.get('/v1/monitors')],
  ['read a monitor', (client) => client.get(`/v1/monitors/${monitor}`)],
  ["list a monitor's runs", (client) => client.get(`/v1/monitors/${monitor}/runs`)],
  ['read a run', (client) => client.get(`/v1/runs/${run}`)],
  ["list a run's deliveries", (client) => client.get(`/v1/runs/${run}/deliveries`)],
  ['list deliveries', (client) => client.get('/v1/deliveries')],
  ['read a delivery', (client) => client.get(`/v1/deliveries/${delivery}`)],
]
const writes = (): [string, (client: Client) => Promise<Answer>][] => [
  ['create a monitor', (client) => client.post('/v1/monitors', MONITOR)],
  ['edit a monitor', (client) => client.patch(`/v1/monitors/${monitor}`, { name: 'New' })],
  ['pause a monitor', (client) => client.post(`/v1/monitors/${monitor}/pause`)],
  ['resume a monitor', (client) => client.post(`/v1/monitors/${monitor}/resume`)],
  ['run a monitor', (client) => client.post(`/v1/monitors/${monitor}/run`)],
  ['read a signing secret', (client) => client.get(`/v1/monitors/${monitor}/signing-secret`)],
  ['rotate a signing secret', (client) => client.post(`/v1/monitors/${monitor}/signing-secret/rotate`)],
  ['replay a run', (client) => client.post(`/v1/runs/${run}/replay`)],
  ['replay a delivery', (client) => client.post(`/v1/deliveries/${delivery}/replay`)],
  ['delete a monitor', (client) => client.delete('/v1/monitors/00000000-0000-4000-8000-000000000000')],
]
const statuses = async (calls: [string, (client: Client) => Promise<Answer>][], client: Client) => {
  const found: Record<string, number> = {}
  for (const [name, call] of calls) found[name] = (await call(client)).status
  return found
}
const all = (calls: [string, unknown][], status: number) => Object.fromEntries(calls.map(([name]) => [name, status]))
/** What a caller who may meets here: the delivery was delivered, the monitor to delete never was. */
const allowed = () => ({
  ...all(writes(), 200),
  'create a monitor': 201,
  'replay a delivery': 409,
  'delete a monitor': 404,
})

describe('authentication', () => {
  test('a key with only the read scope can list and read, and nothing else', async () => {
    const client = served.as(await served.api.key(served.owner, 'read'))
    expect(await statuses(reads(), client)).toEqual(all(reads(), 200))
    expect(await statuses(writes(), client)).toEqual(all(writes(), 403))
  })

  test('a key with write can also create, edit, trigger runs and replay deliveries', async () => {
    const client = served.as(await served.api.key(served.owner, 'read', 'write'))
    expect(await statuses(reads(), client)).toEqual(all(reads(), 200))
    expect(await statuses(writes(), client)).toEqual(allowed())
  })

  test.each([
    ['no credentials', null],
    ['an unknown key', 'svc_000000000000000000000000000000000000'],
    ['something else', 'nonsense'],
  ])('%s: 401 UNAUTHORIZED everywhere', async (_, credential) => {
    const client = served.as(credential)
    expect(await statuses([...reads(), ...writes()], client)).toEqual(all([...reads(), ...writes()], 401))
    expect((await client.get('/v1/monitors')).body.error.code).toBe('UNAUTHORIZED')
  })

  test.each(['rotate', 'delete', 'create'])('an API key can never %s API keys', async (verb) => {
    const id = '00000000-0000-4000-8000-000000000000'
    const answer =
      verb === 'create'
        ? await served.me.post('/v1/keys', { name: 'a' })
        : verb === 'rotate'
          ? await served.me.post(`/v1/keys/${id}/rotate`, { grace_period_hours: 0 })
          : await served.me.delete(`/v1/keys/${id}`)
    expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN'])
  })

  test("a key works on the whole team's data, and what it creates is the creating account's", async () => {
    const session = served.as(served.owner.session_token)
    const { id } = await createMonitor(session)
    expect((await served.me.get(`/v1/monitors/${id}`)).status).toBe(200)
    expect((await createMonitor(served.me))['user_id']).toBe(served.owner.user_id)
  })
})

describe('roles', () => {
  test('a viewer views, and changes nothing', async () => {
    const client = served.as(await served.api.member(served.owner, 'viewer'))
    expect(await statuses(reads(), client)).toEqual(all(reads(), 200))
    expect(await statuses(writes(), client)).toEqual(all(writes(), 403))
  })

  test.each(['member', 'admin'] as const)(
    'a %s also creates, edits, runs, rotates secrets and replays',
    async (role) => {
      const client = served.as(await served.api.member(served.owner, role))
      expect(await statuses(reads(), client)).toEqual(all(reads(), 200))
      expect(await statuses(writes(), client)).toEqual(allowed())
    },
  )

  test('the refusal names role, permission in parentheses, and whom to ask', async () => {
    const client = served.as(await served.api.member(served.owner, 'viewer'))
    const { message } = (await client.post('/v1/monitors', MONITOR)).body.error
    expect(message).toMatch(/viewer.*\(.+\).*team admin or the owner/)
  })
})
