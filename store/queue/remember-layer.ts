import { sql } from 'slonik'
import type { Held } from './lease.ts'
import type { Store } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/** A claimed check, and the layer that its next checks take. */
interface RememberedLayer extends Held {
  readonly queue: 'static' | 'browser'
}

/** The static try is not paid more often than this when a page needs a browser. */
const STATIC_AGAIN_SECONDS = 86_400

/**
 * What of a check is remembered; a check that was edited or given to another meanwhile (its fence moved on) forgets
 * it.
 */
function remembered(queue: 'static' | 'browser') {
  return sql.fragment`
    queue = ${queue}::check_queue,
    static_again_at = ${queue === 'browser' ? sql.fragment`clock() + make_interval(secs => ${STATIC_AGAIN_SECONDS})` : sql.fragment`null`}`
}

/** Keeps in mind which layer a check takes from now on. The check itself goes on. */
export async function rememberLayer(store: Store, { no, fence, queue }: RememberedLayer): Promise<void> {
  await store.query(sql.type(nothing)`
    update checks set ${remembered(queue)} where no = ${no} and fence = ${fence} and run_id is not null
  `)
}

/** Hands a claimed check over to another queue: the same run, due at once, and its layer is remembered. */
export async function handOver(store: Store, { no, fence, queue }: RememberedLayer): Promise<void> {
  await store.query(sql.type(nothing)`
    update checks set ${remembered(queue)}, due_at = clock(), fence = fence + 1, holder = null where no = ${no}
      and fence = ${fence} and run_id is not null
  `)
}
