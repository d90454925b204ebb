import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Change } from '../../../../schema/overview/change.ts'
import { createMonitor } from '../../../support/api/monitor-requests.ts'
import { acceptAs, accountOf, type Person, personOf, tokenFor } from '../../../support/api/people.ts'
import { seedDelivery, seedRun } from '../../../support/api/seeded-runs.ts'
import type { Client } from '../../../support/api/served-api.ts'
import { startWatching, type Watched, type Watching } from '../../../support/api/watching.ts'

let watching: Watching
let kettle: Watched
let lamp: Watched
let key: Client
let owner: Person
const runs: Record<string, string> = {}

const change = async (page: Watched, value: unknown, name: string) => {
  page.set({ value, other: 1 })
  runs[name] = (await page.run()).id
}

beforeAll(async () => {
  watching = await startWatching({ hasMail: true })
  key = watching.served.me
  owner = personOf(watching.served, watching.served.owner)
  kettle = await watching.watch({ value: '$20.00', other: 1 }, { name: 'Kettle' })
  const rises = { type: 'field_above', field: 'value', threshold: 1_000 }
  lamp = await watching.watch({ value: 1, other: 1 }, { name: 'Lamp', diff_predicate: rises })
  await change(kettle, '$19.00', 'kettle 1')
  await change(lamp, 2, 'lamp')
  await change(kettle, '$19.00\u0000\u202e' + 'x'.repeat(1_000_000), 'kettle 2')
})
afterAll(() => watching.close())

interface Page {
  readonly data: readonly Change[]
  readonly next: string | null
}
const list = async (query = '', client = key): Promise<Page> => {
  const { status, body } = await client.get(`/v1/changes?${query}`)
  expect(status).toBe(200)
  return body as unknown as Page
}
const seen = async (client: Client) => (await list('', client)).data.map((each) => each.seen)
const unseenRows = async (client: Client) =>
  ((await client.get('/v1/overview?unseen=true&sort=name')).body.data as readonly { name: string }[]).map(
    ({ name }) => name,
  )

describe('the list of changes', () => {
  test('has the newest first, with what was before and after, and why nothing was sent', async () => {
    const { data, next } = await list()
    expect(next).toBeNull()
    expect(data.map(({ run_id }) => run_id)).toEqual([runs['kettle 2'], runs['lamp'], runs['kettle 1']])
    expect(data[1]).toMatchObject({
      monitor: { id: lamp.id, kind: 'page', name: 'Lamp' },
      fields: [{ field: 'value', before: '1', after: '2', percent: 100 }],
      more: 0,
      visual_change_pct: null,
      fired: false,
      silence: 'The condition of the monitor (diff_predicate) did not hold.',
    })
    expect(data[2]).toMatchObject({
      fields: [{ field: 'value', before: '$20.00', after: '$19.00', percent: -5 }],
      fired: true,
      deliveries: { pending: 0, success: 0, failed: 0, dead: 0 },
      silence: 'The monitor had no destination.',
    })
  })

  test('has the beginning of a long value, without what is not shown', async () => {
    const [{ fields } = { fields: [] }] = (await list('limit=1')).data
    expect(fields[0]?.before).toBe('$19.00')
    expect(fields[0]?.after).toMatch(/^\$19\.00\ufffd?x+…$/u)
    expect(fields[0]?.after).toHaveLength(200)
  })

  test('goes on behind the last one', async () => {
    const first = await list('limit=2')
    expect(first.next).toBe(runs['lamp'])
    const second = await list(`limit=2&before=${first.next}`)
    expect(second.data.map(({ run_id }) => run_id)).toEqual([runs['kettle 1']])
    expect(second.next).toBeNull()
  })

  test.each([
    ['q=LAMP', ['lamp']],
    ['fired=false', ['lamp']],
    ['fired=true', ['kettle 2', 'kettle 1']],
    ['status=paused', []],
    ['changed_since=2100-01-01T00:00:00.000Z', []],
  ])('takes %s', async (query, expected) => {
    expect((await list(query)).data.map(({ run_id }) => run_id)).toEqual(expected.map((name) => runs[name]))
  })

  test('takes monitor_id', async () => {
    expect((await list(`monitor_id=${kettle.id}`)).data).toHaveLength(2)
    expect((await list(`monitor_id=${owner.account.team_id}`)).data).toEqual([])
  })

  test('counts deliveries, and is silent about what was sent', async () => {
    await seedDelivery(watching.served.api.services, runs['lamp'] ?? '', { status: 'dead' })
    expect((await list('q=lamp')).data).toMatchObject([{ deliveries: { dead: 1 }, silence: null }])
  })

  test('has the fields of a run that an earlier version recorded, and none behind the window of the plan', async () => {
    const old = await watching.served.anotherTeam('starter')
    const { id } = await createMonitor(old)
    const diff = { fields_changed: ['a', 'b'], before: { a: 1, b: 1 }, after: { a: 2, b: 2 } }
    const run = await seedRun(watching.served.api.services, id, { extracted: {}, diff, age: '1 hour' })
    await seedRun(watching.served.api.services, id, { extracted: {}, diff, age: '700 days' })
    const { data } = await list('', old)
    expect(data).toMatchObject([{ run_id: run, fields: [{ field: 'a', before: null }, { field: 'b' }], fired: null }])
    await watching.served.api.sql(`
      update runs
      set diff = '{"fields_changed": ["a"], "before": {"a": "\\u0000\\ud800"}, "after": {}}' 
      where id = '${run}'`)
    expect((await list('', old)).data).toMatchObject([{ run_id: run, fields: [] }])
    await old.delete(`/v1/monitors/${id}`)
    expect((await list('', old)).data).toEqual([])
  })
})

describe('a mark', () => {
  test('is of a person and a monitor: it covers older changes of that monitor', async () => {
    const marked = await owner.client.post('/v1/changes/seen', { until: runs['kettle 2'], monitor_ids: [kettle.id] })
    expect(marked.status).toBe(204)
    expect(await seen(owner.client)).toEqual([true, false, true])
    expect(await unseenRows(owner.client)).toEqual(['Lamp'])
    expect(await seen(key)).toEqual([false, false, false])
    expect((await list('unseen=true', owner.client)).data.map(({ run_id }) => run_id)).toEqual([runs['lamp']])
  })

  test('is set before a change that is not seen any more', async () => {
    expect((await owner.client.post('/v1/changes/unseen', { run_id: runs['kettle 2'] })).status).toBe(204)
    expect(await seen(owner.client)).toEqual([false, false, true])
    await owner.client.post('/v1/changes/unseen', { run_id: runs['kettle 1'] })
    expect(await seen(owner.client)).toEqual([false, false, false])
  })

  test('of all covers every monitor, and what comes later is not seen', async () => {
    await owner.client.post('/v1/changes/seen', { until: runs['lamp'] })
    expect(await seen(owner.client)).toEqual([false, true, true])
    await owner.client.post('/v1/changes/unseen', { run_id: runs['kettle 1'] })
    expect(await seen(owner.client)).toEqual([false, true, false])
    await owner.client.post('/v1/changes/seen', { until: runs['kettle 2'] })
    expect(await seen(owner.client)).toEqual([true, true, true])
    // An older one takes nothing back.
    await owner.client.post('/v1/changes/seen', { until: runs['kettle 1'] })
    await owner.client.post('/v1/changes/seen', { until: runs['kettle 1'], monitor_ids: [lamp.id] })
    expect(await seen(owner.client)).toEqual([true, true, true])
  })

  test('of an API key is that of the team', async () => {
    for (const until of [runs['kettle 2'], runs['kettle 1']])
      await key.post('/v1/changes/seen', { until, monitor_ids: [lamp.id] })
    const other = watching.served.as(await watching.served.api.key(watching.served.owner, 'read', 'write'))
    expect(await seen(other)).toEqual([false, true, false])
    const reading = watching.served.as(await watching.served.api.key(watching.served.owner, 'read'))
    expect(await seen(reading)).toEqual([false, true, false])
    expect((await reading.post('/v1/changes/seen', { until: runs['lamp'] })).status).toBe(403)
  })

  test('of a new member begins at joining, and ends with leaving; a viewer has one too', async () => {
    const guest = await accountOf(watching.served)
    const join = async () => {
      await acceptAs(guest, await tokenFor(watching.served, owner, guest, 'viewer'))
      await guest.client.post('/v1/team/switch', { team_id: owner.account.team_id })
    }
    await join()
    expect(await seen(guest.client)).toEqual([true, true, true])
    expect((await guest.client.post('/v1/changes/unseen', { run_id: runs['lamp'] })).status).toBe(204)
    expect(await seen(guest.client)).toEqual([true, false, true])
    expect(await seen(owner.client)).toEqual([true, true, true])
    await owner.client.delete(`/v1/team/members/${guest.account.user_id}`)
    await join()
    expect(await seen(guest.client)).toEqual([true, true, true])
  })

  test('needs a run and monitors of the team; otherwise nothing is marked', async () => {
    const stranger = await watching.served.anotherTeam()
    const { id } = await createMonitor(stranger)
    const theirs = await seedRun(watching.served.api.services, id)
    for (const [path, body] of [
      ['seen', { until: theirs }],
      ['seen', { until: runs['lamp'], monitor_ids: [kettle.id, id] }],
      ['unseen', { run_id: theirs }],
      ['seen', { until: id }],
    ] as const)
      expect([path, (await key.post(`/v1/changes/${path}`, body)).status]).toEqual([path, 404])
    expect(await seen(key)).toEqual([false, true, false])
    for (const body of [{ until: 'x' }, {}, { until: theirs, monitor_ids: [] }])
      expect((await key.post('/v1/changes/seen', body)).status).toBe(422)
  })

  test('writes no line of the audit log', async () => {
    const { body } = await owner.client.get('/v1/team/audit?limit=100')
    expect(JSON.stringify(body.data)).toContain('monitor.created')
    expect(JSON.stringify(body.data)).not.toMatch(/seen|mark/)
  })
})
