import { sql } from 'slonik'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nothing } from '../../../store/db/row.ts'
import { newDelivery } from '../../../store/deliveries/delivery-row.ts'
import { eraseSecretsOfDeleted } from '../../../store/maintenance/deleted-monitors.ts'
import { forgetOld } from '../../../store/maintenance/retention.ts'
import { hideMonitor } from '../../../store/monitors/monitor-delete.ts'
import { ensureRunPartitions, recordReadings } from '../../../store/queue/record-reading.ts'
import { packPageText } from '../../../store/runs/page-texts.ts'
import { endDeliveries } from '../../support/database/change-deliveries.ts'
import { readingRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'

const config = { type: 'webhook', url: 'https://example.com/hook' } as const
const WINDOW_DAYS = 14
const FIRST_OF_MONTH = 1 - new Date().getUTCDate()

let database: QueueDatabase
beforeEach(async () => {
  database = await openQueueDatabase()
  await toDay(0)
})
afterEach(() => database[Symbol.asyncDispose]())

const forget = () => forgetOld(database.store, new AbortController().signal)
/** Days from the first of this month. Runs go by whole months, and no test may end in another one on some dates. */
const toDay = async (day: number) => {
  await database.setClock(`${day + FIRST_OF_MONTH} days`)
  await ensureRunPartitions(database.store)
}
const remove = (no: number) => database.store.transaction((tx) => hideMonitor(tx, no))
const secretsOf = async (no: number) =>
  (
    await database.query(
      'select request_headers as headers, deliveries, signing_secret as secret from monitors where no = $1',
      [no],
    )
  )[0]

/** A team with a window of two weeks, and monitors of it that have a run, a text, a delivery and more. */
async function used(count: number) {
  const team = await database.team()
  await database.query(`update teams set tier = 'free' where id = $1`, [team])
  const numbers = await database.monitors(team, { count, deliveries: [config], headers: { 'x-token': 'canary' } })
  for (const one of await database.claim()) {
    const delivery = newDelivery({
      secrets: database.secrets,
      teamId: team,
      config,
      at: one.claimed_ms,
      payload: () => ({}),
    })
    const text = await packPageText(`the text of ${one.no}`, null)
    await recordReadings(database.store, [{ ...readingRun(one, { price: '1' }), text, deliveries: [delivery] }])
    await database.query(
      `with s as (insert into seen_items (no, field, team_id, key, items) values ($1, 'a', $2, '', '')),
       v as (insert into visual_baselines (no, team_id, layer, thumb_id, regions, image_ids)
         values ($1, $2, 'browser', gen_random_uuid(), '[]', '{}')),
       i as (insert into run_images (monitor_no, run_id, team_id, change_pct, has_changes, thumb_id, regions)
         values ($1, $3, $2, 0, false, gen_random_uuid(), '[]')),
       d as (insert into dead_destinations (monitor_no, target_key) values ($1, 'x')),
       r as (insert into monitor_resources (no, cluster_id, kind, namespace, name, uid, generation, applied_hash)
         values ($1, 'c', 'page', 'n', $1::text, 'u', 1, ''))
       insert into notice_events (team_id, monitor_no, run_id, kind, key, due_at)
       values ($2, $1, $3, 'failing', $3::uuid::text, null)`,
      [one.no, team, one.run_id],
    )
  }
  return { team, numbers }
}

const TABLES = [
  ['monitors', 'no'],
  ['checks', 'no'],
  ['baselines', 'no'],
  ['visual_baselines', 'no'],
  ['seen_items', 'no'],
  ['monitor_resources', 'no'],
  ['dead_destinations', 'monitor_no'],
  ['runs', 'monitor_no'],
  ['run_images', 'monitor_no'],
  ['deliveries', 'monitor_no'],
  ['notice_events', 'monitor_no'],
] as const

/** Returns in which tables there are rows of a monitor. */
async function tablesWith(no: number): Promise<string[]> {
  const found: string[] = []
  for (const [table, column] of TABLES) {
    const rows = await database.query(`select 1 from ${table} where ${column} = $1`, [no])
    if (rows.length > 0) found.push(table)
  }
  return found
}
const ALL = TABLES.map(([table]) => table)

test('headers and destinations of a deleted monitor are erased at once', async () => {
  const { numbers } = await used(1)
  const [no = 0] = numbers
  expect(await secretsOf(no)).toMatchObject({ headers: expect.any(Buffer), deliveries: expect.any(Buffer) })
  await remove(no)
  expect(await secretsOf(no)).toMatchObject({ headers: null, deliveries: null, secret: expect.any(Buffer) })
})

describe('the signing secret of a deleted monitor', () => {
  test.each(['pending', 'failed', 'dead'])(
    'stays while a delivery is %s, and is erased when all succeeded',
    async (status) => {
      const { numbers } = await used(2)
      const [no = 0, alive = 0] = numbers
      await database.query('update deliveries set status = $1, due_at = null', [status])
      await remove(no)
      expect(await eraseSecretsOfDeleted(database.store)).toBe(0)
      expect((await secretsOf(no))?.['secret']).toBeInstanceOf(Buffer)
      await database.query(`update deliveries set status = 'success'`)
      expect(await eraseSecretsOfDeleted(database.store)).toBe(1)
      expect((await secretsOf(no))?.['secret']).toBeNull()
      expect((await secretsOf(alive))?.['secret']).toBeInstanceOf(Buffer)
    },
  )
})

describe('a deleted monitor', () => {
  test('is there until the window of its team is over, and then all of it goes', async () => {
    const { team, numbers } = await used(3)
    const [first = 0, second = 0, alive = 0] = numbers
    await endDeliveries(database, 'success')
    await toDay(3)
    await remove(first)
    await toDay(6)
    await remove(second)
    await toDay(3 + WINDOW_DAYS - 1)
    expect(await forget()).toMatchObject({ monitors: 0 })
    expect(await tablesWith(first)).toEqual(expect.arrayContaining(['monitors', 'checks', 'runs', 'baselines']))
    await toDay(3 + WINDOW_DAYS + 1)
    expect(await forget()).toMatchObject({ monitors: 1 })
    expect(await tablesWith(first)).toEqual([])
    expect(await tablesWith(second)).toContain('monitors')
    await toDay(6 + WINDOW_DAYS + 1)
    expect(await forget()).toMatchObject({ monitors: 1 })
    expect(await tablesWith(second)).toEqual([])
    // Deliveries of its age went before. Its destination stays marked; its pictures go with their own sweep.
    expect(ALL.filter((table) => !['deliveries', 'run_images'].includes(table))).toEqual(
      (await tablesWith(alive)).filter((table) => table !== 'run_images'),
    )
    expect(await database.query('select 1 from page_texts where team_id = $1', [team])).toHaveLength(1)
    expect(await forget()).toMatchObject({ monitors: 0, runs: 0 })
  })

  test('stays as long as a delivery of it is to be sent', async () => {
    const { numbers } = await used(1)
    const [no = 0] = numbers
    await remove(no)
    await toDay(WINDOW_DAYS + 1)
    expect(await forget()).toMatchObject({ monitors: 0 })
    expect(await tablesWith(no)).toContain('monitors')
    await endDeliveries(database, 'success')
    expect(await forget()).toMatchObject({ monitors: 1 })
    expect(await tablesWith(no)).toEqual([])
  })

  test('goes without waiting for checks that are being recorded', async () => {
    const { numbers } = await used(2)
    const [no = 0, alive = 0] = numbers
    await endDeliveries(database, 'success')
    await remove(no)
    await toDay(WINDOW_DAYS + 1)
    const other = await database.anotherStore(1)
    const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const recording = other.transaction(async (tx) => {
      await tx.query(sql.type(nothing)`
        select from checks c join monitors m on m.no = c.no where c.no = ${alive} for update
      `)
      locked.resolve()
      await done.promise
    })
    await locked.promise
    expect(await forget()).toMatchObject({ monitors: 1 })
    done.resolve()
    await recording
    expect(await tablesWith(no)).toEqual([])
  })
})
