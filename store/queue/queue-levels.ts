import { sql } from 'slonik'
import type { CheckQueue } from '../../core/check-queue.ts'
import type { Store } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/**
 * Tells the other processes that checks of these queues are taken here up to a level. Call it about once a minute. A
 * level that nobody has taken for ten minutes is not taken any more (`store/maintenance/above-level.ts`).
 */
export async function noteLevel(store: Store, queues: readonly CheckQueue[], level: number): Promise<void> {
  await store.query(sql.type(nothing)`
    insert into queue_levels as q (queue, level, seen_at)
    select queue, ${level}::smallint, clock()
    from unnest(${sql.array([...queues], 'text')}::check_queue[]) queue order by queue
    on conflict (queue, level) do update set seen_at = excluded.seen_at
    where q.seen_at not between excluded.seen_at - interval '30 seconds' and excluded.seen_at
  `)
}
