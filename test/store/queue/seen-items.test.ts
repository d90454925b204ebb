import { expect, test } from 'vitest'
import { recordPictured } from '../../../store/queue/record-pictured.ts'
import { findSeenItems, forgetSeenItems, type SeenField } from '../../../store/queue/seen-items.ts'
import { endLeases, stopChecks } from '../../support/database/check-states.ts'
import { readingRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)
const seenBy = (field: string, text: string): SeenField => ({
  field,
  key: Buffer.from('key'),
  items: Buffer.from(text),
})

async function claimed() {
  await stopChecks(database, 'all')
  const team = await database.team()
  const [no = 0] = await database.monitors(team)
  const [taken] = await database.claim()
  if (taken?.no !== no) throw new Error('another check was claimed')
  const found = (fields: readonly string[], teamId = team) => findSeenItems(database.store, { teamId, no, fields })
  const record = async (fence: number, ...seen: readonly SeenField[]) => {
    const run = {
      ...readingRun({ ...taken, fence }, { price: '1' }),
      team_id: team,
      pictures: null,
      is_first: false,
      seen,
    }
    return recordPictured(database.store, [run])
  }
  return { team, no, taken, found, record }
}

test('what fields have shown is kept with the run, by the names of the fields, and replaced', async () => {
  const { no, taken, found, record } = await claimed()
  expect(await record(taken.fence, seenBy('jobs', 'one'), seenBy('__proto__', 'two'))).toEqual(new Set([no]))
  expect(Object.fromEntries(await found(['jobs', 'others']))).toMatchObject({ jobs: { items: Buffer.from('one') } })
  expect((await found(['__proto__'])).get('__proto__')?.items.toString()).toBe('two')
  await endLeases(database, no)
  const [again] = await database.claim()
  const run = { ...readingRun(again, { price: '2' }), team_id: await database.team(), pictures: null, is_first: false }
  await recordPictured(database.store, [{ ...run, seen: [seenBy('jobs', 'three')] }])
  expect((await found(['jobs'])).get('jobs')?.items.toString()).toBe('three')
})

test('a run that lost its fence keeps nothing', async () => {
  const { taken, found, record } = await claimed()
  expect(await record(taken.fence - 1, seenBy('jobs', 'one'))).toEqual(new Set())
  expect(await found(['jobs'])).toEqual(new Map())
})

test('another team does not find it, and it can be forgotten', async () => {
  const { no, taken, found, record } = await claimed()
  await record(taken.fence, seenBy('jobs', 'one'))
  expect(await found(['jobs'], await database.team())).toEqual(new Map())
  await database.store.transaction((tx) => forgetSeenItems(tx, no))
  expect(await found(['jobs'])).toEqual(new Map())
})
