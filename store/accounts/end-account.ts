import { sql } from 'slonik'
import Type from 'typebox'
import { ROLES, type Role } from '../../schema/account/role.ts'
import type { Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { IS_UNSENT } from '../deliveries/is-unsent.ts'
import { deleteLooks } from '../looks/looks.ts'
import { hideMonitorsOf } from '../monitors/monitor-delete.ts'

const account = row({ id: Type.String(), email: Type.String() })
const membership = row({
  team_id: Type.String(),
  role: Type.Unsafe<Role>({ enum: [...ROLES] }),
  is_subscribed: Type.Boolean(),
})

/**
 * Locks an account, so that it becomes a member of no team until the transaction has ended. Returns null when there is
 * none.
 */
export const lockAccount = (tx: Transaction, userId: string) =>
  tx.maybeOne(sql.type(account)`select id, email from auth.users where id = ${userId}::uuid for no key update`)

/** Locks the teams of an account and returns its memberships, the team that it owns among them. */
export async function lockMemberships(tx: Transaction, userId: string) {
  await tx.query(sql.type(nothing)`
    select t.id from teams t join team_members m on m.team_id = t.id
    where m.user_id = ${userId}::uuid order by t.id for no key update of t`)
  return tx.any(sql.type(membership)`
    select m.team_id, m.role, exists (
      select from subscriptions s where s.team_id = m.team_id and s.is_live and not s.cancel_at_period_end
    ) as is_subscribed
    from team_members m where m.user_id = ${userId}::uuid order by m.team_id`)
}

/**
 * Ends a team, which is locked: nothing of it runs or is sent from now on, nobody has access, and its secrets are
 * erased. The daily clean-up deletes its history, because it keeps none, and then the team's row, which has no name.
 */
export async function endTeam(tx: Transaction, teamId: string): Promise<void> {
  const team = sql.fragment`team_id = ${teamId}::uuid`
  // As after the end of a trial, no claim and no request takes a run. The trigger of the plan locks the team's quota.
  await tx.query(sql.type(nothing)`
    update teams set name = '', tier = 'free', serp = 'none', trial_ends_at = clock(), limits = '{"retentionDays": 0}',
      ended_at = clock()
    where id = ${teamId}::uuid`)
  await hideMonitorsOf(tx, teamId)
  // Of a digest first the one that leads, as an attempt that is recorded locks them.
  await tx.query(sql.type(nothing)`
    select from deliveries d where ${team} and ${IS_UNSENT}
    order by (d.digest_of is not distinct from d.id) desc, d.id for update`)
  await tx.query(sql.type(nothing)`
    update deliveries d set status = 'dead', due_at = null, next_attempt_at = null, fence = fence + 1
    where ${team} and ${IS_UNSENT}`)
  // Waits for a process that is making messages of the events, and then deletes these too.
  await tx.query(sql.type(nothing)`delete from notice_events where ${team}`)
  await tx.query(sql.type(nothing)`delete from notices where ${team}`)
  await tx.query(sql.type(nothing)`
    update api_keys set revoked_at = clock() where ${team} and coalesce(revoked_at > clock(), true)`)
  await deleteLooks(tx, team)
  for (const table of ['idempotent_answers', 'prompt_answers', 'asked_work', 'status_pages'])
    await tx.query(sql.type(nothing)`delete from ${sql.identifier([table])} where ${team}`)
  await tx.query(sql.type(nothing)`delete from invitations where ${team}`)
  await tx.query(sql.type(nothing)`delete from team_members where ${team}`)
}

/** Deletes an account with its sessions, passwords and links. */
export async function eraseAccount(tx: Transaction, userId: string): Promise<void> {
  await tx.query(sql.type(nothing)`delete from auth.verifications where value = ${userId}`)
  await tx.query(sql.type(nothing)`delete from auth.users where id = ${userId}::uuid`)
}
