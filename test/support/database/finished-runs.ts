import { createHash } from 'node:crypto'
import type { Claimed } from '../../../store/queue/claim.ts'
import type { FailedRun } from '../../../store/queue/record-failed.ts'
import type { ReadingRun } from '../../../store/queue/record-reading.ts'
import type { UnchangedRun } from '../../../store/queue/record-unchanged.ts'

type Taken = Pick<Claimed, 'no' | 'fence' | 'run_id'> | undefined

const common = (taken: Taken) => {
  if (!taken) throw new Error('nothing was claimed')
  return { no: taken.no, fence: taken.fence, run_id: taken.run_id, start_offset_ms: 3, duration_ms: 20 }
}

/** What a check found, as rows for the store. */
export const unchangedRun = (taken: Taken, more: Partial<UnchangedRun> = {}): UnchangedRun => ({
  ...common(taken),
  fetch_method: 'static',
  fetch_reason: null,
  etag: null,
  last_modified: null,
  body_hash: null,
  read_by: 1,
  ...more,
})

export const failedRun = (taken: Taken, more: Partial<FailedRun> = {}): FailedRun => ({
  ...common(taken),
  fetch_method: 'static',
  fetch_reason: null,
  error_code: 'http_status',
  error_message: 'The page answered 500.',
  retry_after_ms: 0,
  ...more,
})

export const readingRun = (
  taken: Taken,
  values: Record<string, unknown>,
  more: Partial<ReadingRun> = {},
): ReadingRun => ({
  ...common(taken),
  fetch_method: 'static',
  fetch_reason: null,
  etag: '"1"',
  last_modified: null,
  body_hash: Buffer.from('0123456789abcdef'),
  reading_hash: createHash('sha256').update(JSON.stringify(values)).digest().subarray(0, 16),
  extracted: JSON.stringify(values),
  missing: null,
  lists: null,
  empty: null,
  read_by: 1,
  layers: null,
  diff: null,
  warnings: null,
  fired: false,
  deliveries: [],
  ...more,
})

/** Returns the ids of all runs. */
export async function idsOfRuns(
  query: (statement: string) => Promise<readonly { readonly id?: string }[]>,
): Promise<string[]> {
  return (await query('select id from runs')).map(({ id = '' }) => id)
}
