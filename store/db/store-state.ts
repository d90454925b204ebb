import { sql } from 'slonik'
import Type from 'typebox'
import { withTimeout } from '../../concurrency/retry.ts'
import type { Store } from './client.ts'
import { row } from './row.ts'

/** Longest time for an answer, whatever state the store is in. */
const ANSWER_MS = 3_000
const migrated = row({ migrated: Type.Boolean() })

/** Returns the state of the store, for probes. Never rejects. */
export async function storeState(store: Store): Promise<'migrated' | 'not_migrated' | 'unreachable'> {
  const asked = store.one(
    sql.type(migrated)`select to_regclass('checks') is not null and to_regclass('deliveries') is not null as migrated`,
  )
  const state = asked.then((found) => (found.migrated ? ('migrated' as const) : ('not_migrated' as const)))
  return withTimeout(state, ANSWER_MS, () => 'unreachable' as const).catch(() => 'unreachable' as const)
}
