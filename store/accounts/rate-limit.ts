import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

const taken = row({ used: Type.Integer(), ends_ms: Type.Number() })

/** The block of requests that a subject received for this minute. */
interface TokenLease {
  readonly granted: number
  /** The rest of the limit after this block, for all processes together. */
  readonly remaining: number
  /** Milliseconds until the next minute begins. */
  readonly endsMs: number
}

/**
 * Takes a block of requests from the subject's limit for the current minute. It is one statement: however many
 * processes ask, together they never get more than `limit`. A block of 1 counts exactly.
 */
export async function leaseTokens(store: Store, subject: string, limit: number, block: number): Promise<TokenLease> {
  const { used, ends_ms: endsMs } = await store.one(sql.type(taken)`
    insert into rate_limits as r (subject, window_start, used)
    values (${subject}, date_trunc('minute', clock()), ${block})
    on conflict (subject) do update set
      used = case when r.window_start = excluded.window_start then least(r.used, ${limit}) + excluded.used
        else excluded.used end,
      window_start = excluded.window_start
    returning used, ceil(extract(epoch from window_start + interval '1 minute' - clock()) * 1000)::float8 as ends_ms`)
  const before = used - block
  const granted = Math.max(0, Math.min(block, limit - before))
  return { granted, remaining: Math.max(0, limit - before - granted), endsMs }
}

/** Deletes subjects without requests for some minutes, because addresses come and go. */
export async function purgeRateLimits(store: Store): Promise<void> {
  await store.query(sql.type(nothing)`
    delete from rate_limits where subject in (
      select subject from rate_limits where window_start < clock() - interval '5 minutes'
        limit 10000 for update skip locked
    )`)
}
