import { describe, expect, test } from 'vitest'
import { differenceOfRuns } from '../../../monitors/difference-of-runs.ts'
import { RunDiff } from '../../../schema/run/run-diff.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedRun, seedRuns } from '../../support/api/seeded-runs.ts'
import type { Client } from '../../support/api/served-api.ts'
import { startWatching } from '../../support/api/watching.ts'
import { shared } from '../../support/run/shared.ts'

const watching = shared(() => startWatching())

const ANY = { diff_predicate: { type: 'any_field_changes' } } as const
const WHOLE = { ...ANY, extract_config: { method: 'full_page' } } as const
const NONE = '0197a000-0000-7000-8000-000000000000'
const FIELDS = {
  ...ANY,
  extract_config: { method: 'json_path', fields: { value: '$.value', price: '$.price' } },
} as const
const page = (text: string) => `<title>News</title><p>${text}</p>`

async function compared(id: string, against: string, client: Client = watching.served.me) {
  const { status, body } = await client.get(`/v1/runs/${id}/diff?against=${against}`)
  if (status === 200) expect(checkerOf(RunDiff).validate(body)).toMatchObject({ ok: true })
  return { status, body }
}
const refused = async (id: string, against: string, client?: Client) => {
  const { status, body } = await compared(id, against, client)
  return [status, body.error.message]
}
const see = (id: string) => watching.served.me.post('/v1/changes/seen', { until: id })

describe('a run compared with another one of its monitor', () => {
  test('has every value and text that differs, also where runs between them, or none, differ', async () => {
    const watched = await watching.watch({ value: 'one\ntwo', price: 10 }, FIELDS)
    const runs = [watched.baseline]
    for (const price of [12, 12, 15]) {
      watched.set({ value: `one\n${price}`, price })
      runs.push(await watched.run())
    }
    const [first, , same, last] = runs.map(({ id }) => id)
    expect((await compared(last ?? '', first ?? '')).body).toMatchObject({
      run_id: last,
      against: { run_id: first, started_at: watched.baseline.started_at },
      changed: {
        fields_changed: ['value', 'price'],
        before: { value: 'one\ntwo', price: 10 },
        after: { value: 'one\n15', price: 15 },
        percent: { price: 50 },
      },
      fields: [{ field: 'value', of: 'value', unified: '@@ -1,2 +1,2 @@\n one\n-two\n+15\n' }],
    })
    // An equal run refers to the values of the one before it, and an older run may be compared with a newer one.
    expect((await compared(first ?? '', same ?? '')).body['changed']).toMatchObject({ before: { price: 12 } })
    expect((await compared(runs[1]?.id ?? '', same ?? '')).body).toMatchObject({
      changed: { fields_changed: [], before: {}, after: {}, percent: {} },
      fields: [],
    })
  })

  test('has the texts of whole pages, whichever run refers to them', async () => {
    const watched = await watching.watch(page('One'), WHOLE)
    const runs = [watched.baseline]
    for (const text of ['One', 'Two', 'Two', 'Three']) {
      watched.set(page(text))
      runs.push(await watched.run())
    }
    const texts = async (from: number, to: number) =>
      (await compared(runs[to]?.id ?? '', runs[from]?.id ?? '')).body['fields']
    expect(await texts(0, 4)).toMatchObject([{ of: 'page_text', unified: '@@ -1,2 +1,2 @@\n News\n-One\n+Three\n' }])
    expect(await texts(1, 3)).toMatchObject([{ unified: '@@ -1,2 +1,2 @@\n News\n-One\n+Two\n' }])
    expect(await texts(0, 1)).toEqual([])
  })

  test('never has the text that another configuration read', async () => {
    const watched = await watching.watch(`${page('One')}<p class="ad">Ad</p>`, WHOLE)
    const extract_config = { method: 'full_page', ignore: { selectors: ['.ad'] } }
    await watching.served.me.patch(`/v1/monitors/${watched.id}`, { extract_config })
    await watched.run()
    watched.set(page('Two'))
    const changed = await watched.run()
    expect(await refused(changed.id, watched.baseline.id)).toEqual([404, expect.stringMatching('was not kept')])
  })

  test('is read in one statement, whatever the number of fields, and of changes between the runs', async () => {
    const { store, differ = null } = watching.served.api.services
    const { id } = await createMonitor(watching.served.me, { extract_config: { method: 'full_page' } })
    const before = {
      content_hash: 'a',
      ...Object.fromEntries(Array.from({ length: 150 }, (_, nth) => [`f${nth}`, nth])),
    }
    const after = { ...before, content_hash: 'b', f1: 7 }
    const first = await seedRun(watching.served.api.services, id, { extracted: before, age: '2 hours' })
    const diff = { fields_changed: ['f1'], before: { f1: 1 }, after: { f1: 7 } }
    await seedRuns(watching.served.api.services, id, { count: 500, extracted: after, diff })
    const last = await seedRun(watching.served.api.services, id, { extracted: after })
    let asked = 0
    const any: typeof store.any = (statement) => ((asked += 1), store.any(statement))
    const reader = { teamId: watching.served.owner.team_id, userId: null }
    const outcome = await differenceOfRuns({ store: { ...store, any }, differ }, { reader, id: last, against: first })
    expect(outcome).toMatchObject({ kind: 'done', diff: { changed: { fields_changed: ['f1', 'content_hash'] } } })
    expect(asked).toBe(1)
  })

  test('is refused with the reason where there is nothing to compare', async () => {
    const watched = await watching.watch({ value: 1 }, ANY)
    const other = await watching.watch({ value: 1 }, ANY)
    watched.set('gone', 'text/plain', 500)
    const [{ id }, failed] = [watched.baseline, await watched.run()]
    expect(await refused(id, id)).toEqual([404, expect.stringMatching('does not differ from itself')])
    expect(await refused(failed.id, id)).toEqual([404, expect.stringMatching('failed')])
    expect(await refused(id, failed.id)).toEqual([404, expect.stringMatching('failed')])
    for (const none of [NONE, other.baseline.id])
      expect(await refused(id, none)).toEqual([404, expect.stringMatching('a run of the same monitor')])
    expect(await refused(NONE, id)).toEqual([404, 'There is no such run.'])
    const stranger = await watching.served.anotherTeam()
    expect(await refused(id, other.baseline.id, stranger)).toEqual([404, 'There is no such run.'])
    expect((await compared(id, 'yesterday')).status).toBe(422)
  })

  test('is not compared with a run that the plan does not show any more', async () => {
    const watched = await watching.watch({ value: 1 }, ANY)
    await watching.setClock(800 * 86_400)
    try {
      watched.set({ value: 2 })
      const later = await watched.run()
      expect(await refused(later.id, watched.baseline.id)).toEqual([404, expect.stringMatching('still kept')])
      expect((await compared(watched.baseline.id, later.id)).status).toBe(404)
    } finally {
      await watching.setClock(0)
    }
  })
})

test('what the caller last saw is the newest run with values up to the mark', async () => {
  const watched = await watching.watch({ value: 1 }, ANY)
  const change = async (value: number) => {
    watched.set({ value })
    return (await watched.run()).id
  }
  const [second, third, fourth] = [await change(2), await change(3), await change(4)]
  expect(await refused(fourth, 'seen')).toEqual([404, expect.stringMatching('seen no run')])
  expect((await see(second)).status).toBe(204)
  expect((await compared(fourth, 'seen')).body).toMatchObject({
    against: { run_id: second },
    changed: { before: { value: 2 }, after: { value: 4 } },
  })
  expect((await compared(third, 'seen')).body).toMatchObject({ against: { run_id: second } })
  expect(await refused(second, 'seen')).toEqual([404, expect.stringMatching('seen this run already')])
})
