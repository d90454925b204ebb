import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDifference } from '../../monitors/run-difference.ts'
import { createTextDiffer } from '../../runners/text-diff/text-differ.ts'
import { recordReadings } from '../../store/queue/record-reading.ts'
import { readingRun } from '../support/database/finished-runs.ts'
import { openQueueDatabase, type QueueDatabase } from '../support/database/queue-database.ts'

const differ = createTextDiffer()
let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
afterAll(async () => {
  await differ.close()
  await database[Symbol.asyncDispose]()
})

/** Has nothing in common with another one, so that their comparison takes a second. */
const noise = (mark: string) => Array.from({ length: 12_000 }, (_, index) => `${mark}${index}`).join('\n')

/** A run of which this many large texts changed. */
async function changedRun(count: number) {
  const teamId = await database.team()
  await database.monitors(teamId)
  const [taken] = await database.claim()
  const names = Array.from({ length: count }, (_, index) => `text${index}`)
  const values = (mark: string) => Object.fromEntries(names.map((name) => [name, noise(mark)]))
  const diff = JSON.stringify({ fields_changed: names, before: values('a'), after: values('b') })
  await recordReadings(database.store, [readingRun(taken, values('b'), { diff })])
  return { teamId, id: taken?.run_id ?? '' }
}

test('all texts of a run have one deadline, and another team is served meanwhile', async () => {
  const [many, one] = [await changedRun(20), await changedRun(1)]
  const began = performance.now()
  const slow = runDifference({ store: database.store, differ, deadlineMs: 4_000 }, many)
  const other = await runDifference({ store: database.store, differ }, one)
  expect(other).toMatchObject({ kind: 'done', diff: { fields: [{ field: 'text0', coarse: true }] } })
  expect(await slow).toEqual({ kind: 'not_compared' })
  expect(performance.now() - began).toBeLessThan(10_000)
})
