import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/**
 * Counts pages that the search provider was asked for, which it charges. They do not count against a quota: runs do.
 */
export async function countProviderPages(store: Queryable, teamId: string, pages: number): Promise<void> {
  await store.query(sql.prepared('count_provider_pages', nothing)`
    update team_usage set provider_pages_used = provider_pages_used + ${pages} where team_id = ${teamId}::uuid
  `)
}
