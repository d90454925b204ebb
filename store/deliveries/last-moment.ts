import { sql } from 'slonik'
import { RETENTION_DAYS } from '../quota/pool.ts'

type Fragment = ReturnType<typeof sql.fragment>

/** Until when a message of a team may wait that was made at an instant: a day before retention would delete it. */
export const lastMoment = (team: Fragment, madeAt: Fragment) => sql.fragment`
  (select ${madeAt} + make_interval(days => greatest(${RETENTION_DAYS} - 1, 1)) from team_limits(${team}) l)`
