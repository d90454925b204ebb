import { sql } from 'slonik'
import Type from 'typebox'
import type { Role } from '../../../schema/account/role.ts'
import type { Queryable } from '../../db/client.ts'
import { nothing, row } from '../../db/row.ts'

/** A session expires this many days after the sign-in. For security, the limit is absolute and is not renewed. */
export const SESSION_DAYS = 7

const NullableText = Type.Union([Type.String(), Type.Null()])
const found = row({
  id: Type.String(),
  user_id: Type.String(),
  email: Type.String(),
  team_id: Type.String(),
  role: Type.Unsafe<Role>({ type: 'string', enum: ['viewer', 'member', 'admin', 'owner'] }),
})

/** A session that is open now, in its active team. */
interface LiveSession {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly teamId: string
  readonly role: Role
}

/**
 * Returns the session of this stored token, or null. The team is the active one, or the user's own team when the
 * active one is unset or the user has left it. The role is the current one.
 */
export async function findLiveSession(store: Queryable, token: string): Promise<LiveSession | null> {
  const session = await store.maybeOne(sql.type(found)`
    select s.id, s.user_id, u.email, m.team_id, m.role
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
  const { id, user_id: userId, email, team_id: teamId, role } = session
  return { id, userId, email, teamId, role }
}

const from = row({ ip_address: Type.String() })
/** The most addresses that are looked at: the latest ones. */
const MAX_ADDRESSES = 50

/** Returns the addresses from which an account's sessions were opened, ended and expired ones included. */
export async function sessionAddresses(store: Queryable, email: string): Promise<readonly string[]> {
  const rows = await store.any(sql.type(from)`
    select s.ip_address
    from auth.sessions s
    join auth.users u on u.id = s.user_id
    where u.email = ${email} and s.ip_address <> ''
    group by s.ip_address
    order by max(s.created_at) desc
    limit ${MAX_ADDRESSES}`)
  return rows.map(({ ip_address }) => ip_address)
}

/** Opens a session without a sign-in, for the administrator of the installation. */
export async function openSession(tx: Queryable, userId: string, token: string): Promise<void> {
  await tx.query(sql.type(nothing)`
    insert into auth.sessions (user_id, token, expires_at)
    values (${userId}, ${token}, now() + make_interval(days => ${SESSION_DAYS}))`)
}

/** Makes a team the active one of a session. A team that the user is not a member of has no effect. */
export async function activateTeam(store: Queryable, sessionId: string, teamId: string): Promise<void> {
  await store.query(sql.type(nothing)`
    update auth.sessions set active_team_id = ${teamId}::uuid where id = ${sessionId}::uuid`)
}

const listed = row({
  id: Type.String(),
  created_at: Type.String(),
  expires_at: Type.String(),
  ip_address: NullableText,
  user_agent: NullableText,
})

/** A session that is open, as its account sees it. */
interface OpenSession {
  readonly id: string
  readonly created_at: string
  readonly expires_at: string
  readonly ip_address: string | null
  readonly user_agent: string | null
}

/** Sessions end within days, so that a list of them is short; a program that signs in anew each time has many. */
const MAX_LISTED = 100

/** Returns the open sessions of an account, the newest first. An address or a browser that is not known is null. */
export const listSessions = (store: Queryable, userId: string): Promise<readonly OpenSession[]> =>
  store.any(sql.type(listed)`
    select id, created_at, expires_at, nullif(ip_address, '') as ip_address,
      left(nullif(user_agent, ''), 300) as user_agent
    from auth.sessions
    where user_id = ${userId}::uuid and expires_at > now()
    order by created_at desc, id
    limit ${MAX_LISTED}`)

/** Ends a session of an account. Returns whether it was open. */
export async function endSession(store: Queryable, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await store.query(sql.type(nothing)`
    delete from auth.sessions where id = ${id}::uuid and user_id = ${userId}::uuid and expires_at > now()`)
  return rowCount > 0
}

const version = row({ version: Type.String() })

/** Returns what changes whenever the password of an account does; null when no account has this address and one. */
export const passwordVersion = (store: Queryable, email: string): Promise<string | null> =>
  store.maybeOneFirst(sql.type(version)`
    select a.xmin::text as version from auth.accounts a join auth.users u on u.id = a.user_id
    where u.email = ${email} and a.provider_id = 'credential'`)

/**
 * Ends a session that was opened with a password, when the password was changed after its version was read: the change
 * may have ended the other sessions before this one existed. Returns whether the session is still open.
 */
export async function keepSession(store: Queryable, token: string, readVersion: string | null): Promise<boolean> {
  const { rowCount } = await store.query(sql.type(nothing)`
    with same as (
      select a.user_id from auth.accounts a join auth.sessions s on s.user_id = a.user_id
      where s.token = ${token} and a.provider_id = 'credential' and a.xmin::text = ${readVersion}
      for share of a
    )
    delete from auth.sessions where token = ${token} and not exists (select from same)`)
  return rowCount === 0
}

/** Lets a session act for a team, and ends all other sessions of its account. */
export async function keepOnlySession(store: Queryable, token: string, teamId: string): Promise<void> {
  await store.query(sql.type(nothing)`
    with own as (
      update auth.sessions set active_team_id = ${teamId}::uuid where token = ${token} returning id, user_id
    )
    delete from auth.sessions s using own where s.user_id = own.user_id and s.id <> own.id`)
}

/** Deletes sessions that expired more than a day ago. Returns how many. Used by the daily maintenance. */
export async function purgeSessions(store: Queryable): Promise<number> {
  const { rowCount } = await store.query(sql.type(nothing)`
    delete from auth.sessions where id in (
      select id from auth.sessions where expires_at < now() - interval '1 day' limit 10000 for update skip locked
    )`)
  return rowCount
}
