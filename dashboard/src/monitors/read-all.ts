import { ask } from '../api/client.ts'
import { LIMITS, type Overview } from '../api/types.ts'
import { type Filters, queryOf } from './filters.ts'
import type { Row } from './ordered-rows.ts'

export interface ReadRows {
  readonly rows: ReadonlyMap<string, Row>
  readonly isAll: boolean
}

/**
 * Reads all monitors that filters leave, in the order of their creation: no check changes that order.
 * Returns what was read until the signal says to stop, and whether it is all.
 */
export async function readAll(
  filters: Filters,
  signal: AbortSignal,
  onProgress: (read: number, total: number) => void,
): Promise<ReadRows> {
  const found = new Map<string, Row>()
  const query = queryOf({ ...filters, sort: 'created' })
  for (let page = 1; !signal.aborted; page += 1) {
    const { data, pagination } = await ask<Overview>(`/v1/overview?${query}&page=${page}&limit=${LIMITS.rows}`)
    for (const row of data) found.set(row.id, row)
    onProgress(found.size, pagination.total)
    if (!pagination.hasMore) return { rows: found, isAll: true }
  }
  return { rows: found, isAll: false }
}
