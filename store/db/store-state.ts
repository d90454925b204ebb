import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from './client.ts'
import { row } from './row.ts'

/** An answer comes within this time, whatever the store does. */
const ANSWER_MS = 3_000
const migrated = row({ migrated: Type.Boolean() })

/** How the store is, for probes. Never rejects. */
export async function storeState(store: Store): Promise<'migrated' | 'not_migrated' | 'unreachable'> {
  const late = Promise.withResolvers<'unreachable'>()
  const timer = setTimeout(() => late.resolve('unreachable'), ANSWER_MS)
  const asked = store
    .one(
      sql.type(
        migrated,
      )`select to_regclass('checks') is not null and to_regclass('deliveries') is not null as migrated`,
    )
    .then(
      (found) => (found.migrated ? 'migrated' : 'not_migrated'),
      (): 'unreachable' => 'unreachable',
    )
  const state = await Promise.race([asked, late.promise])
  clearTimeout(timer)
  return state
}
