import { expect, test } from 'vitest'
import { emailOf } from '../../../store/accounts/team/subscriptions.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { createTestOwner } from '../../support/database/test-owner.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

test('the address of an account is found by its id; what a payment names that is no id has none', async () => {
  const { user_id: id } = await createTestOwner(database.store, {
    email: 'ada@example.com',
    plan: 'free',
    serp: false,
    sessionKey: 'key',
  })
  expect(await emailOf(database.store, id)).toBe('ada@example.com')
  for (const none of [crypto.randomUUID(), '', 'ada@example.com', `${id} `])
    expect(await emailOf(database.store, none)).toBeNull()
})
