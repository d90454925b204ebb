import { sql } from 'slonik'
import type { MonitorKind } from '../../schema/resource-kind.ts'

/** Returns the condition of `monitors m` that it is this one: of the team and the kind, and not deleted. */
export const isMonitor = (teamId: string, id: string, kind: MonitorKind) => sql.fragment`
  m.id = ${id}::uuid and m.team_id = ${teamId}::uuid and m.kind = ${kind} and m.deleted_at is null`

/** Returns the condition of `monitors m` that the name contains a text, whatever its case. */
export const nameContains = (text: string) => sql.fragment`strpos(lower(m.name), lower(${text}::text)) > 0`
