import type { Requester } from '../schema/account/audit.ts'
import { atLeast, type Role } from '../schema/account/role.ts'
import { lockTeam, roleIn } from '../store/accounts/team/team-members.ts'
import type { Transaction } from '../store/db/client.ts'

/** What a role does not allow: by its permission, or whatever the role. */
export type TeamAct =
  | 'rename'
  | 'invite'
  | 'manage'
  | 'keys'
  | 'settings'
  | 'publish'
  | 'change_owner'
  | 'change_self'
  | 'remove_owner'
  | 'leave_own'

/** The role that the requester has at this moment does not allow the action. */
export interface NotAllowed {
  readonly kind: 'not_allowed'
  /** Null: the requester is not a member any more. */
  readonly role: Role | null
  readonly act: TeamAct
}

/** A request of a signed-in user. */
export interface UserRequester extends Requester {
  readonly userId: string
}

/**
 * Locks the team, and returns the refusal when the requester has not, or no longer, the role for the action; null: it
 * may go on. The role was checked before, but another request may have changed it since.
 */
export async function beginTeamAct(
  tx: Transaction,
  { teamId, userId }: UserRequester,
  act: TeamAct,
): Promise<NotAllowed | null> {
  await lockTeam(tx, teamId)
  const role = await roleIn(tx, teamId, userId)
  return role !== null && atLeast(role, 'admin') ? null : { kind: 'not_allowed', role, act }
}
