import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'

/** A table of messages to send. Both have the columns that the delivery loop uses. */
export type Outbox = 'deliveries' | 'notices'

/** A delivery and the fence of its claim. */
interface HeldDelivery {
  readonly id: string
  readonly fence: number
}

const kept = row({ id: Type.String() })

const COLUMNS = { id: 'uuid', fence: 'int4' } as const

/**
 * Extends the leases. Returns the ids that are still leased to this process. An id that is missing was taken over by
 * another process.
 */
export async function heartbeatDeliveries(
  store: Store,
  held: readonly HeldDelivery[],
  leaseSeconds: number,
  outbox: Outbox = 'deliveries',
): Promise<ReadonlySet<string>> {
  const rows = await store.any(sql.prepared(`heartbeat_${outbox}`, kept)`
    update ${sql.identifier([outbox])} d
    set due_at = t.at + make_interval(secs => ${leaseSeconds})
    from ${unnest('h', held, COLUMNS)}, (select clock() as at) t
    where d.id = h.id and d.fence = h.fence
    returning d.id
  `)
  return new Set(rows.map(({ id }) => id))
}

/** Releases deliveries before their lease ends. They are due at once for the next claim, and no attempt is counted. */
export async function releaseDeliveries(
  store: Store,
  held: readonly HeldDelivery[],
  outbox: Outbox = 'deliveries',
): Promise<void> {
  await store.query(sql.prepared(`release_${outbox}`, nothing)`
    update ${sql.identifier([outbox])} d
    set due_at = t.at, fence = d.fence + 1
    from ${unnest('h', held, COLUMNS)}, (select clock() as at) t
    where d.id = h.id and d.fence = h.fence
  `)
}
