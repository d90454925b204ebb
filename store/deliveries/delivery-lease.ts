import Type from 'typebox'
import { sql } from 'slonik'
import type { Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { unnest } from '../db/unnest.ts'

/** Which claim of which delivery. */
interface HeldDelivery {
  readonly id: string
  readonly fence: number
}

const kept = row({ id: Type.String() })

const COLUMNS = { id: 'uuid', fence: 'int4' } as const

/** Moves the leases on. Answers the ids that are still this process's; one that is missing was taken over. */
export async function heartbeatDeliveries(
  store: Store,
  held: readonly HeldDelivery[],
  leaseSeconds: number,
): Promise<ReadonlySet<string>> {
  const rows = await store.any(sql.prepared('heartbeat_deliveries', kept)`
    update deliveries d
    set due_at = t.at + make_interval(secs => ${leaseSeconds})
    from ${unnest('h', held, COLUMNS)}, (select clock() as at) t
    where d.id = h.id and d.fence = h.fence
    returning d.id
  `)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Gives deliveries back before their lease ends: they are due at once, for whoever claims next, and no attempt is
 * counted.
 */
export async function releaseDeliveries(store: Store, held: readonly HeldDelivery[]): Promise<void> {
  await store.query(sql.prepared('release_deliveries', nothing)`
    update deliveries d
    set due_at = t.at, fence = d.fence + 1
    from ${unnest('h', held, COLUMNS)}, (select clock() as at) t
    where d.id = h.id and d.fence = h.fence
  `)
}
