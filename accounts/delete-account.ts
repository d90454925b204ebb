import type { NotFound } from '../core/outcome.ts'
import type { Actor } from '../schema/account/audit.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { endTeam, eraseAccount, lockAccount, lockMemberships } from '../store/accounts/end-account.ts'
import { deleteMember } from '../store/accounts/team/team-members.ts'
import type { AccountContext } from './context.ts'

/** The team of the account has a subscription that would be renewed. */
export interface Subscribed {
  readonly kind: 'subscribed'
}

/** The account is gone. */
interface AccountDeleted {
  readonly kind: 'done'
  /** The team that it owned. */
  readonly teamId: string | null
  /** How many other teams it was a member of. */
  readonly teamsLeft: number
}

/**
 * Deletes an account. Its own team ends with it, with all members; the teams of others are left. All of it
 * happens in one transaction.
 */
export async function deleteAccount(
  { store }: AccountContext,
  { userId, actor }: { readonly userId: string; readonly actor: Actor },
): Promise<AccountDeleted | NotFound | Subscribed> {
  return store.transaction(async (tx): Promise<AccountDeleted | NotFound | Subscribed> => {
    const account = await lockAccount(tx, userId)
    if (!account) return { kind: 'not_found', what: 'account' }
    const memberships = await lockMemberships(tx, userId)
    const own = memberships.find(({ role }) => role === 'owner') ?? null
    if (own?.is_subscribed === true) return { kind: 'subscribed' }
    const target = { id: userId, label: account.email }
    const others = memberships.filter((one) => one !== own)
    for (const { team_id: teamId, role } of others) {
      await deleteMember(tx, teamId, userId)
      await recordAudit(tx, { teamId, actor, action: 'team.member_left', target, metadata: { role } })
    }
    if (own) {
      await endTeam(tx, own.team_id)
      const metadata = { teams_left: others.length }
      await recordAudit(tx, { teamId: own.team_id, actor, action: 'account.deleted', target, metadata })
    }
    await eraseAccount(tx, userId)
    return { kind: 'done', teamId: own?.team_id ?? null, teamsLeft: others.length }
  })
}
