import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tier } from '../../../schema/account/plan.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { createMonitor, MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { makeDue } from '../../support/database/check-states.ts'
import type { QueueDatabase } from '../../support/database/queue-database.ts'
import { checkIn, claimIn } from '../../support/database/stored-searches.ts'
import { startMailWorker } from '../../support/mail/mail-worker.ts'

let served: ServedApi
/** What a worker does with searches, on the store of the API. */
let queue: QueueDatabase
beforeAll(async () => {
  served = await serveApi('scale', { hasMail: true })
  queue = { store: served.api.services.store } as QueueDatabase
})
afterAll(() => served.close())

const SERP = '/v1/serp-monitors'
const KETTLE = { name: 'Kettle', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
const create = async (client: Client, more: object = {}) => {
  const { status, body } = await client.post(SERP, { ...KETTLE, ...more })
  expect(body).not.toHaveProperty('error')
  expect(status).toBe(201)
  return body.id
}
const set = (client: { readonly owner: { readonly team_id: string } }, what: string) =>
  served.api.sql(`update team_usage set ${what} where team_id = '${client.owner.team_id}'`)
const due = (id: string) => makeDue(served.api, id)
const statuses = async (client: Client, id: string) =>
  (await client.get(`${SERP}/${id}/runs`)).body.data.map((run) => run['status'])
const usage = async (client: Client) => (await client.get('/v1/usage')).body

test('a SERP monitor pauses after ten failed checks in a row, not after nine, and its owner gets a mail', async () => {
  const client = await served.anotherTeam('scale')
  const id = await create(client)
  const { mail } = served.api.services
  const fail = async () => {
    await due(id)
    await checkIn(queue, { outcome: 'unparsed' }, { mails: mail })
  }
  for (let n = 0; n < 9; n += 1) await fail()
  expect((await client.get(`${SERP}/${id}`)).body).toMatchObject({ status: 'active', consecutive_failures: 9 })
  await fail()
  expect((await client.get(`${SERP}/${id}`)).body).toMatchObject({
    status: 'paused',
    consecutive_failures: 10,
    next_run_at: null,
  })
  const worker = await startMailWorker(served.api.services)
  try {
    const letter = await worker.letterTo(client.owner.email, /Kettle.* is paused/)
    expect(letter.mail.text).toContain('10 checks in a row failed')
  } finally {
    await worker[Symbol.asyncDispose]()
  }
  await due(id)
  await client.post(`${SERP}/${id}/resume`)
  expect((await client.get(`${SERP}/${id}`)).body).toMatchObject({ status: 'active', consecutive_failures: 0 })
  await client.delete(`${SERP}/${id}`)
})

test('a SERP check that needs more runs than remain is skipped until runs reset', async () => {
  const client = await served.anotherTeam('lite')
  const id = await create(client, { pages: 3 })
  await set(client, 'runs_used = runs_limit - 2')
  expect(await claimIn(queue)).toEqual([])
  expect(await statuses(client, id)).toEqual(['skipped'])
  expect(await usage(client)).toMatchObject({ runs: { used: 998 } })
  await set(client, `resets_at = clock()`)
  await renewPeriods(served.api.services.store)
  await due(id)
  expect(await claimIn(queue)).toHaveLength(1)
  expect(await usage(client)).toMatchObject({ runs: { used: 3 } })
  await client.delete(`${SERP}/${id}`)
})

describe('run credits', () => {
  test.each([
    ['free', 'serp_used = serp_limit'],
    ['lite', 'serp_used = 0'],
  ] as const)('on %s pay for checks of pages, pictures and searches alike', async (plan, usedUp) => {
    const client = await served.anotherTeam(plan)
    await set(client, `runs_used = runs_limit, visual_used = coalesce(visual_limit, 0), ${usedUp}, credits = 5`)
    const page = (await createMonitor(client)).id
    const picture = (await createMonitor(client, { visual_config: { enabled: true } })).id
    const search = await create(client, { pages: 3 })
    const left = []
    for (const path of [`/v1/monitors/${page}`, `/v1/monitors/${picture}`, `${SERP}/${search}`]) {
      expect((await client.post(`${path}/run`)).status).toBe(200)
      left.push((await usage(client))['runCredits'])
    }
    expect(left).toEqual([4, 3, 0])
    await client.delete(`${SERP}/${search}`)
  })

  test('run SERP monitors on a plan without SERP; without credits they are locked, until a plan has SERP', async () => {
    const owner = await served.api.owner({ plan: 'lite', serp: false })
    const client = served.as(owner.api_key)
    await set({ owner }, 'credits = 1')
    const id = await create(client)
    expect(await usage(client)).toMatchObject({ serpViaCredits: true, serpAllowed: true, limits: { serp: 'none' } })
    expect((await client.post(`${SERP}/${id}/run`)).status).toBe(200)
    expect(await usage(client)).toMatchObject({ serpAllowed: false, runCredits: 0, runs: { used: 0 } })
    await served.api.sql(`select fit_locks('${owner.team_id}')`)
    expect((await client.get(`${SERP}/${id}`)).body).toMatchObject({ status: 'billing_paused' })
    expect(await usage(client)).toMatchObject({ serpMonitorsLocked: 1 })
    await served.api.sql(`update teams set serp = 'included' where id = '${owner.team_id}'`)
    expect((await client.get(`${SERP}/${id}`)).body).toMatchObject({ status: 'active' })
    await client.delete(`${SERP}/${id}`)
  })
})

describe('on every plan', () => {
  const PLANS: readonly [Tier, number][] = [
    ['free', 1],
    ['lite', 2],
    ['starter', 3],
    ['pro', 10],
    ['scale', 25],
  ]
  test.each(PLANS)('%s: a monitor has up to %i deliveries, and one more is a plan limit', async (plan, most) => {
    const client = await served.anotherTeam(plan)
    const mails = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ type: 'email', to: `a${n}@example.com` }))
    for (const [path, body] of [
      ['/v1/monitors', MONITOR],
      [SERP, KETTLE],
    ] as const) {
      const { body: made } = await client.post(path, { ...body, deliveries: mails(most) })
      expect(made['deliveries']).toHaveLength(most)
      for (const over of [
        await client.post(path, { ...body, deliveries: mails(most + 1) }),
        await client.patch(`${path}/${made.id}`, { deliveries: mails(most + 1) }),
      ])
        if (most === 25) expect(pathsOf(over)).toEqual(['deliveries'])
        else expect([over.status, over.body.error.code]).toEqual([429, 'TIER_LIMIT_EXCEEDED'])
      await client.delete(`${path}/${made.id}`)
    }
  })

  test('a search is made every 600 seconds at most, and there may be any number of them', async () => {
    for (const [plan] of PLANS) {
      const client = await served.anotherTeam(plan)
      expect(pathsOf(await client.post(SERP, { ...KETTLE, schedule_interval_seconds: 599 }))).toEqual([
        'schedule_interval_seconds',
      ])
      const ids = []
      for (let n = 0; n < 12; n += 1) ids.push(await create(client, { keyword: `kettle ${n}` }))
      expect((await client.get(`${SERP}?limit=1`)).body.pagination).toMatchObject({ total: 12 })
      for (const id of ids) await client.delete(`${SERP}/${id}`)
    }
  })
})
