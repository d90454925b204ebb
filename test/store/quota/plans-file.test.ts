import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOwner } from '../../../store/accounts/accounts.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { migrate } from '../../../store/db/migrate.ts'
import { findDeliveryCap } from '../../../store/quota/pool.ts'
import { readUsage } from '../../../store/quota/usage-summary.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'

let database: TestDatabase
let store: Store
beforeAll(async () => {
  database = await createTestDatabase()
  store = await openStore({ url: database.url, name: 'test' })
})
afterAll(async () => {
  await store.end()
  await database.drop()
})

test('limits of an installation hold at once, for teams that are there, and end with the setting', async () => {
  const made = await createOwner(store, { email: 'a@example.com', plan: 'lite', serp: false, sessionKey: 'key' })
  if (!made.ok) throw new Error(made.reason)
  const { team_id: team } = made.owner
  const runs = async () => (await readUsage(store, team)).runs.limit
  expect(await runs()).toBe(1_000)
  await migrate(database.url, { plans: { lite: { runsPerMonth: 7, maxDeliveriesPerMonitor: 9 } } })
  expect(await runs()).toBe(7)
  expect((await readUsage(store, team)).limits).toMatchObject({ runsPerMonth: 7, llmCallsPerMonth: 250 })
  expect(await findDeliveryCap(store, team)).toMatchObject({ deliveries: 9 })
  // A command that does not know the setting changes nothing.
  await migrate(database.url, { plans: null })
  expect(await runs()).toBe(7)
  await migrate(database.url)
  expect(await runs()).toBe(1_000)
})
