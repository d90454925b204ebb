import { createHash } from 'node:crypto'
import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/** Names that an event has at most. */
const MAX_NAMES = 20

/** Monitors whose manifests are gone and that were not deleted, because they were too many at once. */
interface NotPruned {
  readonly teamId: string
  /** Namespace and name of each. */
  readonly names: readonly string[]
  /** Monitors that the folder declared before, with these. */
  readonly declared: number
}

/** Writes an event for the team: once a day for the same monitors, whatever how often they are seen. */
export async function noteNotPruned(store: Queryable, { teamId, names, declared }: NotPruned): Promise<void> {
  const detail = { not_pruned: names.length, declared, names: names.slice(0, MAX_NAMES) }
  const which = createHash('sha256').update(JSON.stringify(names)).digest('hex')
  await store.query(sql.type(nothing)`
    insert into notice_events (team_id, kind, detail, key)
    values (
      ${teamId}::uuid, 'failing', ${JSON.stringify(detail)}::jsonb,
      concat_ws(' ', 'not_pruned', ${teamId}::text, ${which}::text, (clock() at time zone 'UTC')::date)
    )
    on conflict (key) do nothing
  `)
}
