import { sql } from 'slonik'
import Type from 'typebox'
import type { Role } from '../../schema/account/role.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

/** A session expires this many days after the sign-in. For security, the limit is absolute and is not renewed. */
export const SESSION_DAYS = 7

const found = row({
  id: Type.String(),
  user_id: Type.String(),
  email: Type.String(),
  team_id: Type.String(),
  role: Type.Unsafe<Role>({ type: 'string', enum: ['viewer', 'member', 'admin', 'owner'] }),
  lives_ms: Type.Number(),
})

/** A session that is open now, in its active team. */
interface LiveSession {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly teamId: string
  readonly role: Role
  /** Milliseconds until it expires. */
  readonly livesMs: number
}

/**
 * Returns the session of this stored token, or null. The team is the active one, or the user's own team when the
 * active one is unset or the user has left it. The role is the current one.
 */
export async function findLiveSession(store: Queryable, token: string): Promise<LiveSession | null> {
  const session = await store.maybeOne(sql.type(found)`
    select s.id, s.user_id, u.email, m.team_id, m.role,
      ceil(extract(epoch from s.expires_at - now()) * 1000)::float8 as lives_ms
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    cross join lateral (
      select team_id, role from team_members
      where user_id = s.user_id and (team_id = s.active_team_id or role = 'owner')
      order by team_id = s.active_team_id desc nulls last
      limit 1
    ) m
    where s.token = ${token} and s.expires_at > now()`)
  if (!session) return null
  const { id, user_id: userId, email, team_id: teamId, role, lives_ms: livesMs } = session
  return { id, userId, email, teamId, role, livesMs }
}

/** Opens a session without a sign-in, for the administrator of the installation. */
export async function openSession(tx: Queryable, userId: string, token: string): Promise<void> {
  await tx.query(sql.type(nothing)`
    insert into auth.sessions (user_id, token, expires_at)
    values (${userId}, ${token}, now() + make_interval(days => ${SESSION_DAYS}))`)
}

/** Deletes sessions that expired more than a day ago. Returns how many. Used by the daily maintenance. */
export async function purgeSessions(store: Queryable): Promise<number> {
  const { rowCount } = await store.query(sql.type(nothing)`
    delete from auth.sessions where id in (
      select id from auth.sessions where expires_at < now() - interval '1 day' limit 10000 for update skip locked
    )`)
  return rowCount
}
