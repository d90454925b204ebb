import Type from 'typebox'
import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { type SecretBox, UnreadableSecretError } from './secret-box.ts'
import { ExplainedError } from '../../core/explained-error.ts'

/** The secrets of this database were sealed with another key. */
export class WrongEncryptionKeyError extends ExplainedError {
  override readonly name = 'WrongEncryptionKeyError'
}

const kept = row({ id: Type.String(), key_check: Type.Union([Type.Unsafe<Uint8Array>({}), Type.Null()]) })
const VALUE = 'tidemark'

/**
 * Throws a `WrongEncryptionKeyError` unless the box has the key that this database was set up with; the first process
 * that asks sets it up. One that went on would answer with faults and spend the attempts of deliveries that it cannot
 * read.
 */
export async function checkEncryptionKey(store: Queryable, secrets: SecretBox): Promise<void> {
  const { id, key_check: check } = await store.one(sql.type(kept)`select id, key_check from installation`)
  const place = { teamId: id, column: 'installation.key_check' } as const
  if (check !== null) return open(() => secrets.open(place, check))
  await checkSealed(store, secrets)
  // Of two that start together one writes, and the other is judged by what it wrote.
  await store.query(sql.type(kept)`
    update installation set key_check = ${sql.binary(secrets.seal(place, VALUE))} where key_check is null`)
  return checkEncryptionKey(store, secrets)
}

const sealed = row({ team_id: Type.String(), deliveries: Type.Unsafe<Uint8Array>({}) })

/** A database that is older than the check has secrets already: the first key that comes must open them. */
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
