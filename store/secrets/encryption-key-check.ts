import { sql } from 'slonik'
import Type from 'typebox'
import { ExplainedError } from '../../core/explained-error.ts'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { SEALED_TABLES, sealedWith } from './sealed-tables.ts'
import { type SecretBox, UnreadableSecretError } from './secret-box.ts'

/** Thrown when the secrets of this database were encrypted with a key that is not listed. */
export class WrongEncryptionKeyError extends ExplainedError {
  override readonly name = 'WrongEncryptionKeyError'
}

const installation = row({ id: Type.String() })
const usedKey = row({ id: Type.String(), proof: Type.Unsafe<Uint8Array>({}) })
const VALUE = 'tidemark'

/**
 * Throws a `WrongEncryptionKeyError` unless the box has every key that secrets of this database were encrypted with. A
 * process with a wrong key must not continue: it would return errors and use up the attempts of deliveries that it
 * cannot decrypt. The first process of all notes its key, which the accounts and sessions that it makes depend on.
 */
export async function checkEncryptionKey(store: Store, secrets: SecretBox): Promise<void> {
  const isFirst = await store.transaction(async (tx) => {
    const { id } = await tx.one(sql.type(installation)`select id from installation`)
    await unneededKeys(tx, secrets, id)
    return !(await tx.exists(sql.type(usedKey)`select from encryption_keys`))
  })
  if (isFirst) await noteEncryptionKey(store, secrets)
}

/**
 * Does the same, and notes the newest key of the box as one that secrets are encrypted with. Only for a process that
 * writes with it from now on: a rotation waits for that note.
 */
export async function noteEncryptionKey(store: Store, secrets: SecretBox): Promise<void> {
  await store.transaction(async (tx) => {
    // The lock makes processes that start at the same time come one after the other.
    const { id } = await tx.one(sql.type(installation)`select id from installation for update`)
    const gone = await unneededKeys(tx, secrets, id)
    if (gone.length > 0)
      await tx.query(sql.type(nothing)`delete from encryption_keys where id = any(${sql.array(gone, 'text')})`)
    const [newest = ''] = secrets.keyIds
    await tx.query(sql.type(nothing)`
      insert into encryption_keys (id, proof)
      values (${newest}, ${sql.binary(secrets.seal(proofOf(newest, id), VALUE))})
      on conflict do nothing
    `)
  })
}

const proofOf = (key: string, installationId: string) =>
  ({ teamId: installationId, column: 'encryption_keys.proof', rowId: key }) as const

/** Returns the noted keys that the box lacks and no row needs. Throws when the box lacks a key that rows need. */
async function unneededKeys(tx: Queryable, secrets: SecretBox, installationId: string): Promise<readonly string[]> {
  const used = await tx.any(sql.type(usedKey)`select id, proof from encryption_keys`)
  const missing = used.filter((key) => !isOpened(key)).map((key) => key.id)
  const isForeign = missing.length === used.length
  if (!isForeign && missing.length === 0) return []
  const needed = await rowsByKey(tx, secrets.keyIds)
  if (isForeign && (used.length > 0 || needed.size > 0)) throw new WrongEncryptionKeyError(otherKey(needed))
  if (needed.size > 0) throw new WrongEncryptionKeyError(lacks(needed))
  return missing

  function isOpened(key: { readonly id: string; readonly proof: Uint8Array }): boolean {
    try {
      return secrets.open(proofOf(key.id, installationId), key.proof) === VALUE
    } catch (error) {
      if (error instanceof UnreadableSecretError) return false
      throw error
    }
  }
}

/** How many rows need each key that is missing, in words, by the id of the key. */
type Needed = ReadonlyMap<string, string>

const inWords = (needed: Needed): string =>
  [...needed].map(([key, rows]) => `the key ${key} (needed for ${rows})`).join(' and ')

const otherKey = (needed: Needed): string =>
  'the encryption key is not the one that this database was set up with: set TIDEMARK_ENCRYPTION_KEY to that key ' +
  '(where it was never set, it is in the file encryption-key of the data directory)' +
  (needed.size === 0 ? '' : `; it lacks ${inWords(needed)}`)

const lacks = (needed: Needed): string =>
  `TIDEMARK_ENCRYPTION_KEY lacks ${inWords(needed)}: add it to the end of the list, and run "tidemark admin ` +
  'rotate-key" before you remove it'

const known = row({ found: Type.Boolean() })

/** Returns whether a process has noted this key as one that it writes with. */
export const isKeyInUse = (store: Queryable, key: string): Promise<boolean> =>
  store.oneFirst(sql.type(known)`select exists (select from encryption_keys where id = ${key}) as found`)

/** Forgets all keys but this one: no row needs them. */
export const forgetOtherKeys = (store: Queryable, key: string): Promise<unknown> =>
  store.query(sql.type(nothing)`delete from encryption_keys where id <> ${key}`)

const counted = row({ key: Type.String(), rows: Type.Integer() })

/**
 * Returns how many rows were encrypted with keys other than these, in words, by the id of the key. It reads whole
 * tables.
 */
async function rowsByKey(store: Queryable, keyIds: readonly string[]): Promise<Needed> {
  const found = new Map<string, string[]>()
  for (const { table, columns, words } of SEALED_TABLES) {
    const perColumn = columns.map(
      (column) =>
        sql.fragment`select id, ${sealedWith(sql.identifier([column]))} as key from ${sql.identifier([table])}`,
    )
    const rows = await store.any(sql.type(counted)`
      select key, count(distinct id) as rows
      from (${sql.join(perColumn, sql.fragment` union all `)}) sealed
      where key <> all(${sql.array([...keyIds], 'text')})
      group by key
    `)
    for (const { key, rows: count } of rows) {
      found.set(key, [...(found.get(key) ?? []), `${count} ${words[count === 1 ? 0 : 1]}`])
    }
  }
  return new Map([...found].map(([key, texts]) => [key, texts.join(' and ')]))
}
