import type { NotFound, OtherCount } from '../core/outcome.ts'
import { MARK_BATCH, MAX_MUTED } from '../schema/overview/overview.ts'
import { COLLISION_RETRIES, type Store } from '../store/db/client.ts'
import { listMatching } from '../store/monitors/mute-many.ts'
import { markOnesSeen, markOnesUnseen } from '../store/overview/mark-many.ts'
import { isRunOf } from '../store/overview/seen-marks.ts'
import type { OverviewQuery } from '../store/overview/wanted-monitors.ts'

/** The monitors that filters leave, and how many the requester expects. */
interface MatchingMarks {
  readonly query: OverviewQuery
  readonly expected: number
  /** Changes up to this run are seen. Null: the last change of each is not seen. */
  readonly until: string | null
  /** How many are marked in one statement. */
  readonly batch?: number
}

interface Marked {
  readonly kind: 'done'
  readonly changed: number
}

/** Marks the changes of all monitors that filters leave, in batches. What is seen already stays as it is. */
export async function markMatching(
  { store }: { readonly store: Store },
  { query, expected, until, batch = MARK_BATCH }: MatchingMarks,
): Promise<Marked | OtherCount | NotFound> {
  const { reader } = query
  if (until !== null && !(await isRunOf(store, reader.teamId, until))) return { kind: 'not_found', what: 'run' }
  const nos = (await listMatching(store, query, MAX_MUTED + 1)).map(({ no }) => no)
  if (nos.length !== expected)
    return { kind: 'other_count', what: 'monitors', expected, count: nos.length, most: MAX_MUTED }
  let changed = 0
  for (let from = 0; from < nos.length; from += batch) {
    const some = nos.slice(from, from + batch)
    // Another request of the same reader may mark the same ones.
    changed += await store.transaction(
      (tx) => (until === null ? markOnesUnseen(tx, reader, some) : markOnesSeen(tx, reader, some, until)),
      COLLISION_RETRIES,
    )
  }
  return { kind: 'done', changed }
}
