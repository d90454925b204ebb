import { type FragmentSqlToken, sql } from 'slonik'

/** Whose marks count: a person's, or the team's own (`userId` null), which its API keys read and set. */
export interface Reader {
  readonly teamId: string
  readonly userId: string | null
}

/** Returns the condition that a mark is the reader's, in a form that an index serves. */
export const isOf = (column: FragmentSqlToken, userId: string | null) =>
  userId === null ? sql.fragment`${column} is null` : sql.fragment`${column} = ${userId}::uuid`

/**
 * Returns the run up to which a reader has seen the changes of every monitor that has no mark, as a scalar
 * subquery: the mark of all, or the moment at which the person joined the team.
 */
export const seenOfAll = ({ teamId, userId }: Reader) => sql.fragment`
  (select coalesce(
    (select a.seen_id from seen_marks a
      where a.team_id = ${teamId}::uuid and ${isOf(sql.fragment`a.user_id`, userId)} and a.monitor_no is null),
    (select run_id_floor(j.joined_at) from team_members j
      where j.team_id = ${teamId}::uuid and j.user_id = ${userId}::uuid),
    run_id_floor('epoch')))`

/** Joins the reader's own mark `s` of `monitors m`. */
export const joinMarks = ({ teamId, userId }: Reader) => sql.fragment`
  left join seen_marks s on s.team_id = ${teamId}::uuid and ${isOf(sql.fragment`s.user_id`, userId)}
    and s.monitor_no = m.no`
