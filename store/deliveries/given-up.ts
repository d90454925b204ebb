import { sql } from 'slonik'
import Type from 'typebox'
import { MAX_COUNTED_DELIVERIES } from '../../schema/overview/overview.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { retentionCutoff } from '../quota/pool.ts'

/** Is true for a delivery that nobody tries again: its last attempt failed, or it was refused for good. */
export const GIVEN_UP = sql.fragment`(status in ('failed', 'dead') and next_attempt_at is null)`

/** Counts the deliveries of the team that nobody tries again, up to `MAX_COUNTED_DELIVERIES`. */
export const countGivenUp = (store: Queryable, teamId: string): Promise<number> =>
  store.oneFirst(sql.type(row({ count: Type.Integer() }))`
    select count(*)::int as count from (
      select from deliveries
      where team_id = ${teamId}::uuid and created_at >= ${retentionCutoff(teamId)} and ${GIVEN_UP}
      limit ${sql.literalValue(String(MAX_COUNTED_DELIVERIES))}
    ) x
  `)
