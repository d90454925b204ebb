import Type from 'typebox'
import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { type SecretBox, UnreadableSecretError } from './secret-box.ts'
import { ExplainedError } from '../../core/explained-error.ts'

/** Thrown when the secrets of this database were encrypted with another key. */
export class WrongEncryptionKeyError extends ExplainedError {
  override readonly name = 'WrongEncryptionKeyError'
}

const kept = row({ id: Type.String(), key_check: Type.Union([Type.Unsafe<Uint8Array>({}), Type.Null()]) })
const VALUE = 'tidemark'

/**
 * Throws a `WrongEncryptionKeyError` unless the box has the key that this database was set up with. The first process
 * that calls it sets the key check. A process with a wrong key must not continue: it would return errors and use up
 * the attempts of deliveries that it cannot decrypt.
 */
export async function checkEncryptionKey(store: Queryable, secrets: SecretBox): Promise<void> {
  const { id, key_check: check } = await store.one(sql.type(kept)`select id, key_check from installation`)
  const place = { teamId: id, column: 'installation.key_check' } as const
  if (check !== null) return open(() => secrets.open(place, check))
  await checkSealed(store, secrets)
  // Of two processes that start at the same time, one writes the value, and the other is checked against it.
  await store.query(sql.type(kept)`
    update installation set key_check = ${sql.binary(secrets.seal(place, VALUE))} where key_check is null`)
  return checkEncryptionKey(store, secrets)
}

const sealed = row({ team_id: Type.String(), deliveries: Type.Unsafe<Uint8Array>({}) })

/** A database that is older than this check contains secrets already. The first key must open them. */
async function checkSealed(store: Queryable, secrets: SecretBox): Promise<void> {
  const one = await store.maybeOne(
    sql.type(sealed)`select team_id, deliveries from monitors where deliveries is not null limit 1`,
  )
  if (one) open(() => secrets.open({ teamId: one.team_id, column: 'monitors.deliveries' }, one.deliveries))
}

function open(opening: () => unknown): void {
  try {
    opening()
  } catch (cause) {
    if (!(cause instanceof UnreadableSecretError)) throw cause
    throw new WrongEncryptionKeyError(
      'the encryption key is not the one that this database was set up with: set TIDEMARK_ENCRYPTION_KEY to that ' +
        'key (where it was never set, it is in the file encryption-key of the data directory)',
      { cause },
    )
  }
}
