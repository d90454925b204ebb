import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { WORK_KINDS } from '../../../boot/kinds.ts'
import { noteAboveLevel } from '../../../store/maintenance/above-level.ts'
import { readBacklog } from '../../../store/maintenance/backlog.ts'
import { noteLevel } from '../../../store/queue/queue-levels.ts'
import { createClaims } from '../../../worker/queue/claim-round.ts'
import { setLevel, stopChecks } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'

let database: QueueDatabase
let team: string
beforeAll(async () => {
  database = await openQueueDatabase()
  team = await database.team()
})
beforeEach(() => database.query('delete from queue_levels'))
afterEach(async () => {
  await database.query('delete from notice_events')
  await stopChecks(database, 'all')
  await database.setClock('0')
})
afterAll(() => database[Symbol.asyncDispose]())

const NONE = { checks: 0, messages: 0, level: null, workers: false, runners: false }
const look = () => noteAboveLevel(database.store)
const events = () => database.query('select team_id, kind, detail from notice_events')

async function late(queue: 'static' | 'browser', level: number, dueSeconds = 700): Promise<number> {
  const [no = 0] = await database.monitors(team, { queue, dueSeconds })
  await setLevel(database, no, level)
  return no
}

test('checks above the level of all who take their queue are a notice after ten minutes, once a day', async () => {
  await noteLevel(database.store, ['static', 'browser', 'visual'], 1)
  await late('static', 2)
  await late('browser', 3)
  await late('browser', 2, 500)
  await late('static', 1)
  const found = { checks: 2, messages: 0, level: 3, workers: true, runners: true }
  expect(await look()).toEqual(found)
  expect(await look()).toEqual(found)
  expect(await events()).toEqual([{ team_id: team, kind: 'failing', detail: { above_level: found } }])
  expect(await readBacklog(database.store)).toMatchObject({ checks_above_level: 2, messages_above_level: 0 })
  await stopChecks(database, 'all')
  expect(await look()).toEqual(NONE)
})

test('one process that has the level is enough, until it has been gone for ten minutes', async () => {
  await noteLevel(database.store, ['browser'], 2)
  await late('browser', 2)
  expect(await look()).toEqual(NONE)
  await database.setClock('9 minutes')
  await noteLevel(database.store, ['browser'], 1)
  expect(await look()).toEqual(NONE)
  await database.setClock('11 minutes')
  expect(await look()).toMatchObject({ checks: 1, workers: false, runners: true })
})

test('a queue that nobody takes at all lacks no level', async () => {
  await noteLevel(database.store, ['static'], 1)
  await late('browser', 2)
  expect(await look()).toEqual(NONE)
})

test('a claim says at which level its queues are taken, a runner at its own', async () => {
  const { store, secrets } = database
  const levels = () => database.query('select queue, level from queue_levels order by queue, level')
  const queues = ['browser', 'serp'] as const
  const claim = createClaims({ kinds: WORK_KINDS, store, secrets, queues, leaseSeconds: 60, hasModel: false })
  await claim(1, { holder: null, exit: null, level: 3 })
  expect(await levels()).toEqual([{ queue: 'browser', level: 3 }])
  await claim(1, { holder: null, exit: 'here' })
  expect(await levels()).toEqual([
    { queue: 'browser', level: 2 },
    { queue: 'browser', level: 3 },
    { queue: 'serp', level: 2 },
  ])
})
