import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { CheckQueue } from '../../core/check-queue.ts'
import type { Store } from '../db/client.ts'
import { type Claimed, claimedColumns, type ClaimedKind, claimedRow } from './claim.ts'
import type { Held } from './lease.ts'

const HELD = {
  queue: Type.Unsafe<CheckQueue>({ type: 'string' }),
  level: Type.Integer(),
  /** The layer was chosen from what a page looked like, not from the configuration. */
  layer_is_remembered: Type.Boolean(),
}
const HeldCheck = Type.Object(HELD)
/**
 * A check with the properties that its claim returned, read again for the runner that leased it. `claimed_ms`
 * is the current time.
 */
export type HeldCheck = Claimed & Static<typeof HeldCheck>

/**
 * Returns what finds the check that was claimed with a runner token under a fence. Null: there is no such check, or its
 * lease is lost.
 */
export function heldChecks(kinds: readonly ClaimedKind[]) {
  const [columns, row] = [claimedColumns(kinds), claimedRow(kinds, HELD)]
  return (store: Store, { no, fence }: Held, holder: number): Promise<HeldCheck | null> =>
    store.maybeOne(sql.type(row)`
      select ${columns}, h.queue, h.level,
        m.fetch_mode = 'auto' and h.static_again_at is not null is true as layer_is_remembered
      from (select *, clock() as at from checks where no = ${no} and fence = ${fence} and holder = ${holder}
        and run_id is not null) h
      join monitors m on m.no = h.no
    `)
}
