import { sql } from 'slonik'
import type { Held } from './lease.ts'
import type { Store } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/** A claimed check, and the fetch layer that its next checks use. */
interface RememberedLayer extends Held {
  readonly queue: 'static' | 'browser'
}

/** When a page needs a browser, the static layer is tried again at most this often. */
const STATIC_AGAIN_SECONDS = 86_400

/**
 * Sets the columns that remember the layer. A check that was edited or claimed again meanwhile has a higher fence and
 * is not changed.
 */
function remembered(queue: 'static' | 'browser') {
  const staticAgainAt =
    queue === 'browser' ? sql.fragment`clock() + make_interval(secs => ${STATIC_AGAIN_SECONDS})` : sql.fragment`null`
  return sql.fragment`queue = ${queue}::check_queue, static_again_at = ${staticAgainAt}`
}

/** Stores the layer that a check uses from now on. The check itself continues. */
export async function rememberLayer(store: Store, { no, fence, queue }: RememberedLayer): Promise<void> {
  await store.query(sql.type(nothing)`
    update checks set ${remembered(queue)} where no = ${no} and fence = ${fence} and run_id is not null
  `)
}

/** Moves a claimed check to another queue. The run stays the same and is due at once, and the layer is remembered. */
export async function handOver(store: Store, { no, fence, queue }: RememberedLayer): Promise<void> {
  await store.query(sql.type(nothing)`
    update checks set ${remembered(queue)}, due_at = clock(), fence = fence + 1, holder = null where no = ${no}
      and fence = ${fence} and run_id is not null
  `)
}
