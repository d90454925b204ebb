import { randomBytes } from 'node:crypto'
import { sql } from 'slonik'
import Type from 'typebox'
import { derivedKey } from '../../../core/derived-key.ts'
import type { Queryable, Store } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'

const kept = row({ id: Type.String(), session_key: Type.Unsafe<Uint8Array | null>({}) })
const known = row({ found: Type.Boolean() })

/**
 * Returns the key that signs the sessions of this installation. The first process that asks makes it. It is stored
 * encrypted, and a rotation of the encryption key leaves it as it is: all processes sign with the same key before,
 * during and after one.
 */
export async function ensureSessionKey(store: Store, secrets: SecretBox, encryptionKey: string): Promise<string> {
  const found = await store.one(sql.type(kept)`select id, session_key from installation`)
  if (found.session_key !== null) return opened(secrets, found.id, found.session_key)
  return store.transaction(async (tx) => {
    const { id, session_key: sealed } = await tx.one(
      sql.type(kept)`select id, session_key from installation for update`,
    )
    if (sealed !== null) return opened(secrets, id, sealed)
    const key = await firstKey(tx, encryptionKey)
    await tx.query(sql.type(nothing)`
      update installation set session_key = ${sql.binary(secrets.seal(placeOf(id), key))}`)
    return key
  })
}

/** Earlier versions derived the key from the encryption key. The sessions that they opened stay open. */
async function firstKey(tx: Queryable, encryptionKey: string): Promise<string> {
  const hasSessions = await tx.oneFirst(sql.type(known)`select exists (select from auth.sessions) as found`)
  const bytes = hasSessions ? derivedKey(encryptionKey, 'sign-in sessions') : randomBytes(32)
  return bytes.toString('base64url')
}

const opened = (secrets: SecretBox, id: string, sealed: Uint8Array) => String(secrets.open(placeOf(id), sealed))

const placeOf = (installationId: string) =>
  ({ teamId: installationId, column: 'installation.session_key', rowId: installationId }) as const
