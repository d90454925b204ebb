import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'
import { isHeldAsked } from './asked.ts'

/** A check, or other work, that is leased under a fence. */
export interface Held {
  readonly no: number
  readonly fence: number
}

const held = row({ no: Type.Integer() })

/** A condition on `checks c` and the input `i`. With `holder`: only checks that were claimed with this runner token. */
const isHeld = (holder: number | null) => sql.fragment`
  c.no = i.no and c.fence = i.fence and c.run_id is not null
  and (${holder}::int is null or c.holder = ${holder}::int)`

const leaseEnd = (seconds: number) => sql.fragment`clock() + make_interval(secs => ${seconds})`

/**
 * Extends the leases of running checks. Returns those that are still leased. The others lost their fence, and their
 * results are discarded.
 */
export async function extendLeases(
  store: Store,
  checks: readonly Held[],
  leaseSeconds: number,
): Promise<ReadonlySet<number>> {
  const rows = await store.any(sql.prepared('extend_leases', held)`
    update checks c
    set due_at = ${leaseEnd(leaseSeconds)}
    from ${unnest('i', checks, { no: 'int8', fence: 'int4' })}
    where ${isHeld(null)}
    returning c.no
  `)
  return new Set(rows.map(({ no }) => no))
}

/**
 * A little more than the time between two heartbeats: somebody waits for asked work, so a runner that is gone is
 * noticed soon.
 */
const ASKED_LEASE_SHARE = 0.4
/** A heartbeat may be late by seconds on a busy machine. */
const SHORTEST_LEASE_SECONDS = 5

/** Returns how long asked work is leased where checks are leased for so long. */
export const askedLeaseSeconds = (leaseSeconds: number): number =>
  Math.max(SHORTEST_LEASE_SECONDS, leaseSeconds * ASKED_LEASE_SHARE)

/** Does the same for what a runner has leased with its token: checks and asked work. */
export async function extendLeasesOf(
  store: Store,
  work: readonly Held[],
  leaseSeconds: number,
  holder: number,
): Promise<ReadonlySet<number>> {
  const rows = await store.any(sql.prepared('extend_leases_of', held)`
    with i as materialized (select * from ${unnest('i', work, { no: 'int8', fence: 'int4' })}),
    asked as (
      update asked_work a set leased_until = ${leaseEnd(askedLeaseSeconds(leaseSeconds))} from i
      where ${isHeldAsked(holder)}
      returning a.no
    ),
    checked as (
      update checks c set due_at = ${leaseEnd(leaseSeconds)} from i where ${isHeld(holder)} returning c.no
    )
    select no from asked union all select no from checked
  `)
  return new Set(rows.map(({ no }) => no))
}

type Released = Held & { readonly delayMs: number }

/**
 * Releases claimed checks so that another worker takes them at once (`delayMs` 0) or later. The run keeps its id and
 * stays counted, because it was started.
 */
export async function releaseChecks(store: Store, checks: readonly Released[]): Promise<void> {
  await store.query(sql.prepared('release_checks', nothing)`
    update checks c
    set due_at = clock() + make_interval(secs => i."delayMs" / 1000.0), fence = c.fence + 1, holder = null
    from ${unnest('i', checks, { no: 'int8', fence: 'int4', delayMs: 'int8' })}
    where ${isHeld(null)}
  `)
}

/** Does the same for what a runner has leased with its token: checks and asked work. */
export async function releaseOf(store: Store, work: readonly Released[], holder: number): Promise<void> {
  await store.query(sql.prepared('release_of', nothing)`
    with i as materialized (select * from ${unnest('i', work, { no: 'int8', fence: 'int4', delayMs: 'int8' })}),
    asked as (
      update asked_work a
      set fence = a.fence + 1, tries = a.tries - 1, holder = null,
        leased_until = clock() + make_interval(secs => i."delayMs" / 1000.0)
      from i where ${isHeldAsked(holder)}
    )
    update checks c
    set due_at = clock() + make_interval(secs => i."delayMs" / 1000.0), fence = c.fence + 1, holder = null
    from i where ${isHeld(holder)}
  `)
}
