import { sql } from 'slonik'
import Type from 'typebox'
import type { OutageLog } from '../../concurrency/loops/outage.ts'
import { withTimeout } from '../../concurrency/loops/retry.ts'
import type { Store } from './client.ts'
import { row } from './row.ts'
import { storeOutage } from './store-fault.ts'

/** Longest time for an answer, whatever state the store is in. */
const ANSWER_MS = 3_000
const migrated = row({ migrated: Type.Boolean() })

/**
 * Returns the state of the store, for probes. Never rejects. It reports faults as an outage: in a process that serves
 * no request, only probes ask the store.
 */
export async function storeState(store: Store, log: OutageLog): Promise<'migrated' | 'not_migrated' | 'unreachable'> {
  const asked = store.one(
    sql.type(migrated)`select to_regclass('checks') is not null and to_regclass('deliveries') is not null as migrated`,
  )
  const state = asked.then((found) => (found.migrated ? ('migrated' as const) : ('not_migrated' as const)))
  const unreachable = (error: unknown) => {
    storeOutage(log).covers(error, 'probes')
    return 'unreachable' as const
  }
  const silent = () => unreachable(new Error(`connection timeout: no answer within ${ANSWER_MS} ms`))
  return withTimeout(state, ANSWER_MS, silent).catch(unreachable)
}
