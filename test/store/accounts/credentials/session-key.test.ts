import { expect, test } from 'vitest'
import { derivedKey } from '../../../../core/derived-key.ts'
import { ensureSessionKey } from '../../../../store/accounts/credentials/session-key.ts'
import { checkEncryptionKey, noteEncryptionKey } from '../../../../store/secrets/encryption-key-check.ts'
import { reEncrypt } from '../../../../store/secrets/re-encrypt.ts'
import { createSecretBox } from '../../../../store/secrets/secret-box.ts'
import { openQueueDatabase, type QueueDatabase } from '../../../support/database/queue-database.ts'

const KEY = 'the key of a test'
const NEWER = 'the newer key of a test'
const keyWith = ({ store }: QueueDatabase, list: string) => ensureSessionKey(store, createSecretBox(list), list)

test('processes that start at the same time use one key, which differs from that of another installation', async () => {
  await using database = await openQueueDatabase()
  await using other = await openQueueDatabase()
  const keys = await Promise.all([1, 2, 3].map(() => keyWith(database, KEY)))
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[\w-]{43}$/)
  expect(await keyWith(other, KEY)).not.toBe(keys[0])
})

test('the key stays what it is before, during and after a rotation of the encryption key', async () => {
  await using database = await openQueueDatabase()
  const { store } = database
  await noteEncryptionKey(store, createSecretBox(KEY))
  const key = await keyWith(database, KEY)
  const both = `${NEWER},${KEY}`
  await noteEncryptionKey(store, createSecretBox(both))
  expect(await keyWith(database, both)).toBe(key)
  await expect(checkEncryptionKey(store, createSecretBox(NEWER))).rejects.toThrow('needed for 1 key of sessions')
  expect(await reEncrypt(store, createSecretBox(both), () => {})).toMatchObject({ rows: 1, unreadable: [] })
  expect(await keyWith(database, NEWER)).toBe(key)
})

test('sessions that an earlier version opened stay open', async () => {
  await using database = await openQueueDatabase()
  await database.query(`
    with person as (
      insert into auth.users (name, email, email_verified) values ('a', 'a@example.com', true) returning id
    )
    insert into auth.sessions (user_id, token, expires_at) select id, 'token', now() + interval '1 day' from person`)
  expect(await keyWith(database, KEY)).toBe(derivedKey(KEY, 'sign-in sessions').toString('base64url'))
})
