import Type from 'typebox'
import { sql } from 'slonik'
import type { DeliveryStatus } from '../../schema/run/delivery.ts'
import type { Store } from '../db/client.ts'
import { row } from '../db/row.ts'
import { unnest } from '../db/unnest.ts'

/** A finished attempt and its consequences (`core/machine/delivery.ts`). */
export interface AttemptRecord {
  readonly id: string
  readonly fence: number
  readonly status: DeliveryStatus
  /** Attempts so far, including this one. */
  readonly attempts: number
  /** Seconds from the end of this attempt to the next. Null: there is no next attempt. */
  readonly retry_after_seconds: number | null
  /** Milliseconds since the end of the attempt. */
  readonly ended_ago_ms: number
  readonly response_status: number | null
  readonly response_body: string | null
}

const recorded = row({ id: Type.String() })

const COLUMNS = {
  id: 'uuid',
  fence: 'int4',
  status: 'text',
  attempts: 'int2',
  retry_after_seconds: 'int4',
  ended_ago_ms: 'float8',
  response_status: 'int4',
  response_body: 'text',
} as const

/**
 * Records a batch of attempts in one statement, each under its fence. Returns the ids that were recorded. An id that
 * is missing was claimed again, replayed or released meanwhile, and nothing of it changed. The statement also raises
 * the fence: when its answer is lost, the record may be sent again, and a heartbeat that arrives late must not extend
 * the lease.
 */
export async function recordAttempts(store: Store, records: readonly AttemptRecord[]): Promise<ReadonlySet<string>> {
  const rows = await store.any(sql.prepared('record_attempts', recorded)`
    with t as materialized (select clock() as at),
    input as (
      select i.*, t.at - make_interval(secs => i.ended_ago_ms / 1000.0) as ended_at
      from t, ${unnest('i', records, COLUMNS)}
    )
    update deliveries d
    set fence = d.fence + 1,
      status = i.status,
      attempts = i.attempts,
      last_attempt_at = i.ended_at,
      -- When the seconds are null, both times are null: nothing is due any more.
      next_attempt_at = i.ended_at + make_interval(secs => i.retry_after_seconds),
      due_at = i.ended_at + make_interval(secs => i.retry_after_seconds),
      response_status = i.response_status,
      response_body = i.response_body
    from input i
    where d.id = i.id and d.fence = i.fence
    returning d.id
  `)
  return new Set(rows.map(({ id }) => id))
}
