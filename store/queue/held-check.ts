import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { PageQueue } from '../../core/check-queue.ts'
import { CLAIMED, ClaimedPage } from './claim.ts'
import type { Store } from '../db/client.ts'
import type { Held } from './lease.ts'
import { rowOf } from '../db/row.ts'

/** A page's check as its claim told it, asked for again by who holds it. `claimed_ms` is now. */
const HeldCheck = Type.Object({
  ...ClaimedPage.properties,
  queue: Type.Unsafe<PageQueue>({ type: 'string' }),
  /** Its layer was chosen by what a page looked like, and not by its configuration. */
  layer_is_remembered: Type.Boolean(),
})
export type HeldCheck = Static<typeof HeldCheck>
const heldCheck = rowOf(HeldCheck)

/** The check that was claimed with this runner token under this fence; null when there is none, or not any more. */
export async function findHeldCheck(store: Store, { no, fence }: Held, holder: number): Promise<HeldCheck | null> {
  return store.maybeOne(sql.type(heldCheck)`
    select ${CLAIMED}, h.queue, m.fetch_mode = 'auto' and h.static_again_at is not null as layer_is_remembered
    from (select *, clock() as at from checks where no = ${no} and fence = ${fence} and holder = ${holder}
      and run_id is not null) h
    join monitors m on m.no = h.no and m.kind = 'page'
  `)
}
