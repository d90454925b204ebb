import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { PageQueue } from '../../core/check-queue.ts'
import type { Store } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { ClaimedSearch } from './claim-search.ts'
import { CLAIMED, ClaimedPage } from './claim.ts'
import type { Held } from './lease.ts'

/**
 * A check with the properties that its claim returned, read again for the runner that leased it. `claimed_ms`
 * is the current time.
 */
const HeldPage = Type.Object({
  ...ClaimedPage.properties,
  queue: Type.Unsafe<PageQueue>({ type: 'string' }),
  /** The layer was chosen from what a page looked like, not from the configuration. */
  layer_is_remembered: Type.Boolean(),
})
const HeldCheck = Type.Union([HeldPage, ClaimedSearch])
export type HeldCheck = Static<typeof HeldCheck>
const heldCheck = rowOf(HeldCheck)

/**
 * Returns the check that was claimed with this runner token under this fence. Null: there is no such check, or its
 * lease is lost.
 */
export async function findHeldCheck(store: Store, { no, fence }: Held, holder: number): Promise<HeldCheck | null> {
  return store.maybeOne(sql.type(heldCheck)`
    select ${CLAIMED}, h.queue, m.fetch_mode = 'auto' and h.static_again_at is not null is true as layer_is_remembered,
      null::float8 as refused_until_ms
    from (select *, clock() as at from checks where no = ${no} and fence = ${fence} and holder = ${holder}
      and run_id is not null) h
    join monitors m on m.no = h.no
  `)
}
