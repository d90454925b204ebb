import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkEncryptionKey, WrongEncryptionKeyError } from '../../../store/secrets/encryption-key-check.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { openQueueWorld, type QueueWorld } from '../queue/queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

test('where there are secrets already, the first key has to open them', async () => {
  await using older = await openQueueWorld()
  await older.monitors(await older.team(), { deliveries: [{ type: 'email', to: 'a@example.com' }] })
  await expect(checkEncryptionKey(older.store, createSecretBox('another key of a test'))).rejects.toThrow(
    'not the one that this database was set up with',
  )
  await checkEncryptionKey(older.store, older.secrets)
  await checkEncryptionKey(older.store, older.secrets)
})

test('the first key that comes stays; every other is refused, of those that come together as well', async () => {
  const boxes = Array.from({ length: 6 }, (_, index) => createSecretBox(`key ${index} of a test`))
  const first = await Promise.allSettled(boxes.map((box) => checkEncryptionKey(world.store, box)))
  expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const again = await Promise.allSettled(boxes.map((box) => checkEncryptionKey(world.store, box)))
  expect(again.map(({ status }) => status)).toEqual(first.map(({ status }) => status))
  for (const outcome of again)
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(WrongEncryptionKeyError)
})
