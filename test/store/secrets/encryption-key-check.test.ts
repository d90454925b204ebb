import { expect, test } from 'vitest'
import { keyId } from '../../../core/derived-key.ts'
import {
  checkEncryptionKey,
  isKeyInUse,
  noteEncryptionKey,
  WrongEncryptionKeyError,
} from '../../../store/secrets/encryption-key-check.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const KEY = 'the key of a test'
const NEWER = 'the newer key of a test'
const OTHER = 'another key of a test'
const deliveries = [{ type: 'email', to: 'a@example.com' }] as const

const database = shared(openQueueDatabase)

test('where there are secrets already, the first key has to open them', async () => {
  await using older = await openQueueDatabase()
  await older.monitors(await older.team(), { deliveries, count: 2 })
  await expect(noteEncryptionKey(older.store, createSecretBox(OTHER))).rejects.toThrow(
    'not the one that this database was set up with: set TIDEMARK_ENCRYPTION_KEY to that key (where it was never ' +
      'set, it is in the file encryption-key of the data directory); it lacks the key ' +
      `${keyId(KEY)} (needed for 2 monitors)`,
  )
  await noteEncryptionKey(older.store, older.secrets)
  await noteEncryptionKey(older.store, older.secrets)
})

test('the first key that comes stays; every other is refused, of those that come together as well', async () => {
  const boxes = Array.from({ length: 6 }, (_, index) => createSecretBox(`key ${index} of a test`))
  const first = await Promise.allSettled(boxes.map((box) => noteEncryptionKey(database.store, box)))
  expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const again = await Promise.allSettled(boxes.map((box) => noteEncryptionKey(database.store, box)))
  expect(again.map(({ status }) => status)).toEqual(first.map(({ status }) => status))
  for (const outcome of again)
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(WrongEncryptionKeyError)
})

test('a key that was used has to be listed for as long as a row needs it', async () => {
  await using rotated = await openQueueDatabase()
  const { store } = rotated
  const team = await rotated.team()
  await noteEncryptionKey(store, createSecretBox(KEY))
  await noteEncryptionKey(store, createSecretBox(`${NEWER},${KEY}`))
  await rotated.monitors(team, { deliveries, headers: { 'x-token': 'canary' } })
  await expect(noteEncryptionKey(store, createSecretBox(NEWER))).rejects.toThrow(
    `TIDEMARK_ENCRYPTION_KEY lacks the key ${keyId(KEY)} (needed for 1 monitor): add it to the end of the list, and ` +
      'run "tidemark admin rotate-key" before you remove it',
  )
  await rotated.query('update monitors set request_headers = null, deliveries = null, signing_secret = null')
  await noteEncryptionKey(store, createSecretBox(NEWER))
  // The database was told that the old key is gone.
  await expect(noteEncryptionKey(store, createSecretBox(KEY))).rejects.toThrow(WrongEncryptionKeyError)
})

test('a process that only looks at the key does not say that it is used', async () => {
  await using other = await openQueueDatabase()
  const { store } = other
  await noteEncryptionKey(store, createSecretBox(KEY))
  await checkEncryptionKey(store, createSecretBox(`${NEWER},${KEY}`))
  expect(await isKeyInUse(store, keyId(NEWER))).toBe(false)
  await noteEncryptionKey(store, createSecretBox(`${NEWER},${KEY}`))
  // A key that it lacks, and that no row needs, may be the one that a server has just taken up.
  await checkEncryptionKey(store, createSecretBox(KEY))
  expect(await isKeyInUse(store, keyId(NEWER))).toBe(true)
  await expect(checkEncryptionKey(store, createSecretBox(OTHER))).rejects.toThrow(WrongEncryptionKeyError)
})

test('the first process that looks at the key notes it, so that no other key is taken afterwards', async () => {
  await using fresh = await openQueueDatabase()
  await checkEncryptionKey(fresh.store, createSecretBox(KEY))
  await expect(checkEncryptionKey(fresh.store, createSecretBox(OTHER))).rejects.toThrow(WrongEncryptionKeyError)
  await checkEncryptionKey(fresh.store, createSecretBox(KEY))
})
