import { expect, test } from 'vitest'
import { findDelivery, listDeliveries, listRunDeliveries, sumDeliveries } from '../../../store/deliveries/deliveries.ts'
import { newDelivery } from '../../../store/deliveries/delivery-row.ts'
import { toDelivery } from '../../../store/deliveries/stored-delivery.ts'
import { recordReadings } from '../../../store/queue/record-reading.ts'
import { readingRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'
import { create } from '../monitors/stored-monitors.ts'

const database = shared(openQueueDatabase)

const window = { limit: 20, offset: 0 }

/** A run that fired to so many addresses. */
async function fire(team: string, count: number) {
  const monitor = await create(database, team)
  const taken = (await database.claim()).find(({ no }) => no === monitor.no)
  const deliveries = Array.from({ length: count }, (_, i) =>
    newDelivery({
      secrets: database.secrets,
      teamId: team,
      config: { type: 'webhook', url: `https://example.com/${i}`, headers: { 'x-token': 'hidden' } },
      at: Date.now() + i,
      payload: (id) => ({ id, n: i }),
    }),
  )
  await recordReadings(database.store, [readingRun(taken, { price: '1' }, { deliveries })])
  return { monitor, runId: taken?.run_id ?? '', ids: deliveries.map(({ id }) => id) }
}

test('what a run wrote to the outbox is listed with its monitor, and opened for the API', async () => {
  const team = await database.team()
  const { monitor, runId, ids } = await fire(team, 3)
  const rows = await listRunDeliveries(database.store, team, runId)
  expect(rows.map(({ id }) => id)).toEqual(ids)
  const [first] = rows.map((row) => toDelivery(row, database.secrets))
  expect(first).toMatchObject({
    monitor_id: monitor.id,
    user_id: monitor.user_id,
    destination: 'https://example.com/0',
  })
  expect(first?.payload).toEqual({ id: ids[0], n: 0 })
  expect(JSON.stringify(first)).not.toContain('hidden')
})

test('the list is one team’s, filtered by status, and tells the window with each row and without rows', async () => {
  const team = await database.team()
  const other = await database.team()
  const { ids } = await fire(team, 3)
  await fire(other, 1)
  await database.query(`update deliveries set status = 'dead' where id = $1`, [ids[1]])
  const listed = await listDeliveries(database.store, { teamId: team, ...window })
  expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(listed[0]).toMatchObject({ tier: 'scale', retention_days: 730 })
  const dead = await listDeliveries(database.store, { teamId: team, status: 'dead', ...window })
  expect(dead.map(({ id }) => id)).toEqual([ids[1]])
  expect(await sumDeliveries(database.store, { teamId: team })).toMatchObject({ total: 3, tier: 'scale' })
  expect(await sumDeliveries(database.store, { teamId: team, status: 'success' })).toMatchObject({ total: 0 })
  expect(await findDelivery(database.store, other, ids[0]!)).toBeNull()
  expect(await listRunDeliveries(database.store, other, listed[0]!.run_id)).toEqual([])
})

test('what is older than the window is hidden, by the store’s own clock', async () => {
  const team = await database.team()
  const { ids } = await fire(team, 1)
  expect(await findDelivery(database.store, team, ids[0]!)).not.toBeNull()
  await database.setClock('731 days')
  expect(await findDelivery(database.store, team, ids[0]!)).toBeNull()
  expect(await listDeliveries(database.store, { teamId: team, ...window })).toEqual([])
  await database.setClock('0 days')
})
