import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SERVED_KINDS } from '../../../../boot/kinds.ts'
import { markMatching } from '../../../../monitors/mark-matching.ts'
import { createMonitor } from '../../../support/api/monitor-requests.ts'
import { type Person, personOf } from '../../../support/api/people.ts'
import { seedRun } from '../../../support/api/seeded-runs.ts'
import type { Client } from '../../../support/api/served-api.ts'
import { startWatching, type Watched, type Watching } from '../../../support/api/watching.ts'

let watching: Watching
let kettle: Watched
let lamp: Watched
let key: Client
let owner: Person
let newest = ''

const change = async (page: Watched, value: number) => {
  page.set({ value })
  return (await page.run()).id
}

beforeAll(async () => {
  watching = await startWatching()
  key = watching.served.me
  owner = personOf(watching.served, watching.served.owner)
  const labels = { team: 'shop' }
  kettle = await watching.watch({ value: 1 }, { name: 'Kettle', labels })
  lamp = await watching.watch({ value: 1 }, { name: 'Lamp', labels })
  await watching.watch({ value: 1 }, { name: 'Never changed', labels })
  await watching.watch({ value: 1 }, { name: 'Of nobody' }).then((other) => change(other, 2))
  await change(lamp, 2)
  newest = await change(kettle, 2)
})
afterAll(() => watching.close())

const unseen = async (client: Client) =>
  (await client.get('/v1/overview?unseen=true&sort=name')).body.data.map(({ name }) => name)
const filter = { label: 'team=shop' }
const mark = (path: 'seen' | 'unseen', body: object, client = key) => client.post(`/v1/overview/${path}`, body)

describe('the changes of all monitors that a filter leaves', () => {
  test('are marked as seen up to a run, for who asks for it, and what comes later is not seen', async () => {
    expect(await unseen(key)).toEqual(['Kettle', 'Lamp', 'Of nobody'])
    const done = await mark('seen', { filter, expected: 3, until: newest })
    // One that never changed has nothing to mark.
    expect([done.status, done.body]).toEqual([200, { changed: 2 }])
    expect(await unseen(key)).toEqual(['Of nobody'])
    expect(await unseen(owner.client)).toEqual(['Kettle', 'Lamp', 'Of nobody'])
    expect((await mark('seen', { filter, expected: 3, until: newest })).body).toEqual({ changed: 0 })
    await change(lamp, 3)
    expect(await unseen(key)).toEqual(['Lamp', 'Of nobody'])
  })

  test('are marked as not seen, the last one of each', async () => {
    expect((await mark('unseen', { filter, expected: 3 })).body).toEqual({ changed: 1 })
    expect(await unseen(key)).toEqual(['Kettle', 'Lamp', 'Of nobody'])
    const all = { filter: { unseen: true }, expected: 3 }
    // The change of the lamp came after that run.
    expect((await mark('seen', { ...all, until: newest })).body).toEqual({ changed: 2 })
    expect(await unseen(key)).toEqual(['Lamp'])
  })

  test('are marked in batches', async () => {
    const query = {
      reader: { teamId: watching.served.owner.team_id, userId: watching.served.owner.user_id },
      kinds: SERVED_KINDS.map(({ kind }) => kind.table),
      wanted: {},
    }
    const asked = { query, expected: 4, until: newest, batch: 2 }
    expect(await markMatching(watching.served.api.services, asked)).toEqual({ kind: 'done', changed: 3 })
    expect(await unseen(owner.client)).toEqual(['Lamp'])
  })

  test('are left where the filter leaves another number by now, or there is no such run', async () => {
    const before = await unseen(key)
    const conflict = await mark('seen', { filter, expected: 2, until: newest })
    expect(conflict.status).toBe(409)
    expect(conflict.body.error.message).toBe('The filter leaves 3 monitors and not 2.')
    expect((await mark('unseen', { filter, expected: 2 })).status).toBe(409)
    const stranger = await watching.served.anotherTeam()
    const theirs = await seedRun(watching.served.api.services, (await createMonitor(stranger)).id)
    expect((await mark('seen', { filter, expected: 3, until: theirs })).status).toBe(404)
    expect(await unseen(key)).toEqual(before)
  })

  test.each([
    ['seen', { filter, expected: 3 }],
    ['seen', { filter, expected: 0, until: newest }],
    ['seen', { filter, expected: 3, until: 'x' }],
    ['unseen', { filter: { colour: 'red' }, expected: 3 }],
    ['unseen', { expected: 3 }],
  ] as const)('are not marked as %s by what is no request: %j', async (path, body) => {
    expect((await mark(path, body)).status).toBe(422)
  })
})
