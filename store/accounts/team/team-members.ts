import { sql } from 'slonik'
import Type from 'typebox'
import { ROLES, type GivenRole, type Role } from '../../../schema/account/role.ts'
import { Member, Team, type TeamListItem } from '../../../schema/account/team.ts'
import type { Queryable, Transaction } from '../../db/client.ts'
import { nothing, row, rowOf } from '../../db/row.ts'
import { limitOf } from '../../quota/pool.ts'
import { INVITATION_STATE } from './invitations.ts'

const { role: _callers, ...shared } = Team.properties
const teamRow = row(shared)
const memberRow = rowOf(Member)
const roleRow = row({ role: Type.Unsafe<Role>({ enum: [...ROLES] }) })
const item = row({
  id: Type.String(),
  name: Type.String(),
  role: Type.Unsafe<Role>({ enum: [...ROLES] }),
  owner_email: Type.String(),
  is_personal: Type.Boolean(),
})

/** A team without the caller's role. */
export type TeamRow = Omit<Team, 'role'>

/** Returns a team with its seats. */
export const readTeam = (store: Queryable, teamId: string): Promise<TeamRow> =>
  store.one(sql.type(teamRow)`
    select t.id, t.name, t.owner_user_id, u.email as owner_email, t.tier,
      (select count(*) from team_members where team_id = t.id) as member_count,
      (select count(*) from invitations i where i.team_id = t.id and ${INVITATION_STATE} = 'open') as pending_invites,
      ${limitOf('maxTeamMembers')} as max_members, t.created_at
    from teams t join auth.users u on u.id = t.owner_user_id cross join lateral team_limits(t.id) l
    where t.id = ${teamId}::uuid`)

/**
 * Waits until no other transaction changes the members or invitations of the team, and keeps others from it until this
 * one ends. A later read stays true until then. Returns null when there is no such team.
 */
export const lockTeam = (tx: Transaction, teamId: string): Promise<{ readonly name: string } | null> =>
  tx.maybeOne(sql.type(row({ name: Type.String() }))`
    select name from teams where id = ${teamId}::uuid for no key update`)

export async function setTeamName(tx: Transaction, teamId: string, name: string): Promise<void> {
  await tx.query(sql.type(nothing)`update teams set name = ${name} where id = ${teamId}::uuid`)
}

/** Returns the role of a user in a team; null when the user is not a member. */
export async function roleIn(store: Queryable, teamId: string, userId: string): Promise<Role | null> {
  const found = await store.maybeOne(sql.type(roleRow)`
    select role from team_members where team_id = ${teamId}::uuid and user_id = ${userId}::uuid`)
  return found && found.role
}

/** Returns whether the user is a member of the team. If so, nobody removes it until the transaction ends. */
export const keepMember = (tx: Transaction, teamId: string, userId: string): Promise<boolean> =>
  tx.exists(sql.type(roleRow)`
    select role from team_members where team_id = ${teamId}::uuid and user_id = ${userId}::uuid for share`)

// A provider of sign-ins may give no name, or one of any length.
const MEMBERS = sql.fragment`
  select m.user_id, u.email, left(coalesce(nullif(btrim(u.name), ''), split_part(u.email, '@', 1)), 200) as name,
    m.role, m.joined_at
  from team_members m join auth.users u on u.id = m.user_id`

/** Returns the members of a team, the owner first, then in the order in which they joined. */
export const listMembers = (store: Queryable, teamId: string): Promise<readonly Member[]> =>
  store.any(sql.type(memberRow)`
    ${MEMBERS} where m.team_id = ${teamId}::uuid order by m.role = 'owner' desc, m.joined_at, m.user_id`)

export const findMember = (store: Queryable, teamId: string, userId: string): Promise<Member | null> =>
  store.maybeOne(sql.type(memberRow)`
    ${MEMBERS} where m.team_id = ${teamId}::uuid and m.user_id = ${userId}::uuid`)

/** Returns whether somebody with this address is a member. */
export const hasMember = (store: Queryable, teamId: string, email: string): Promise<boolean> =>
  store.exists(sql.type(memberRow)`${MEMBERS} where m.team_id = ${teamId}::uuid and u.email = ${email}`)

export async function setMemberRole(tx: Transaction, teamId: string, userId: string, role: GivenRole): Promise<void> {
  await tx.query(sql.type(nothing)`
    update team_members set role = ${role} where team_id = ${teamId}::uuid and user_id = ${userId}::uuid`)
}

export async function insertMember(tx: Transaction, teamId: string, userId: string, role: GivenRole): Promise<void> {
  await tx.query(sql.type(nothing)`
    insert into team_members (team_id, user_id, role) values (${teamId}, ${userId}, ${role})`)
}

/** Removes a member. The sessions of the user no longer act for the team, also after a later invitation. */
export async function deleteMember(tx: Transaction, teamId: string, userId: string): Promise<void> {
  await tx.query(sql.type(nothing)`
    delete from team_members where team_id = ${teamId}::uuid and user_id = ${userId}::uuid`)
  await tx.query(sql.type(nothing)`
    update auth.sessions set active_team_id = null
    where user_id = ${userId}::uuid and active_team_id = ${teamId}::uuid`)
}

/** Returns the teams of a user: first the one that the user owns. */
export const listTeamsOf = (store: Queryable, userId: string): Promise<readonly Omit<TeamListItem, 'active'>[]> =>
  store.any(sql.type(item)`
    select t.id, t.name, m.role, u.email as owner_email, t.owner_user_id = m.user_id as is_personal
    from team_members m join teams t on t.id = m.team_id join auth.users u on u.id = t.owner_user_id
    where m.user_id = ${userId}::uuid
    order by is_personal desc, lower(t.name), t.id`)
