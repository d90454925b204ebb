import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'

/** A check that is leased under a fence. */
export interface Held {
  readonly no: number
  readonly fence: number
}

const held = row({ no: Type.Integer() })

/** A condition on `checks c` and the input `i`. With `holder`: only checks that were claimed with this runner token. */
const isHeld = (holder: number | null) => sql.fragment`
  c.no = i.no and c.fence = i.fence and c.run_id is not null
  and (${holder}::int is null or c.holder = ${holder}::int)`

/**
 * Extends the leases of running checks. Returns those that are still leased. The others lost their fence, and their
 * results are discarded.
 */
export async function extendLeases(
  store: Store,
  checks: readonly Held[],
  leaseSeconds: number,
  holder: number | null = null,
): Promise<ReadonlySet<number>> {
  const rows = await store.any(sql.prepared('extend_leases', held)`
    update checks c
    set due_at = clock() + make_interval(secs => ${leaseSeconds})
    from ${unnest('i', checks, { no: 'int8', fence: 'int4' })}
    where ${isHeld(holder)}
    returning c.no
  `)
  return new Set(rows.map(({ no }) => no))
}

/**
 * Releases claimed checks so that another worker takes them at once (`delayMs` 0) or later. The run keeps its id and
 * stays counted, because it was started.
 */
export async function releaseChecks(
  store: Store,
  checks: readonly (Held & { readonly delayMs: number })[],
  holder: number | null = null,
): Promise<void> {
  await store.query(sql.prepared('release_checks', nothing)`
    update checks c
    set due_at = clock() + make_interval(secs => i."delayMs" / 1000.0), fence = c.fence + 1, holder = null
    from ${unnest('i', checks, { no: 'int8', fence: 'int4', delayMs: 'int8' })}
    where ${isHeld(holder)}
  `)
}
