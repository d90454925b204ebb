import type { NotFound } from '../core/outcome.ts'
import { atLeast, type GivenRole } from '../schema/account/role.ts'
import type { Member } from '../schema/account/team.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { deleteMember, findMember, lockTeam, roleIn, setMemberRole } from '../store/accounts/team/team-members.ts'
import type { AccountContext } from './context.ts'
import { beginTeamAct, type NotAllowed, type UserRequester } from './team-act.ts'

const NO_MEMBER: NotFound = { kind: 'not_found', what: 'member' }

/** A member that a request is about. */
interface OfMember extends UserRequester {
  readonly memberId: string
}

/** Gives a member another role. The role that the member has already changes nothing and is not recorded. */
export async function changeRole(
  { store }: AccountContext,
  { memberId, role, ...requester }: OfMember & { readonly role: GivenRole },
): Promise<{ readonly kind: 'done'; readonly member: Member } | NotFound | NotAllowed> {
  const { teamId, actor, userId } = requester
  return store.transaction(async (tx) => {
    const refused = await beginTeamAct(tx, requester, 'manage')
    if (refused) return refused
    const member = await findMember(tx, teamId, memberId)
    if (!member) return NO_MEMBER
    const own = await roleIn(tx, teamId, userId)
    if (member.user_id === userId) return { kind: 'not_allowed', role: own, act: 'change_self' } as const
    if (member.role === 'owner') return { kind: 'not_allowed', role: own, act: 'change_owner' } as const
    if (member.role === role) return { kind: 'done', member } as const
    await setMemberRole(tx, teamId, memberId, role)
    const target = { id: member.user_id, label: member.email }
    const metadata = { previous_role: member.role, role }
    await recordAudit(tx, { teamId, actor, action: 'team.member_role_changed', target, metadata })
    return { kind: 'done', member: { ...member, role } } as const
  })
}

/** The member is gone: `left` by an own decision, or removed. */
interface Gone {
  readonly kind: 'done'
  readonly left: boolean
}

/** Removes a member, or lets the requester leave. The owner can do neither. */
export async function removeMember(
  { store }: AccountContext,
  { memberId, ...requester }: OfMember,
): Promise<Gone | NotFound | NotAllowed> {
  const { teamId, actor, userId } = requester
  const left = memberId.toLowerCase() === userId
  return store.transaction(async (tx): Promise<Gone | NotFound | NotAllowed> => {
    await lockTeam(tx, teamId)
    const own = await roleIn(tx, teamId, userId)
    if (!left && (own === null || !atLeast(own, 'admin'))) return { kind: 'not_allowed', role: own, act: 'manage' }
    const member = await findMember(tx, teamId, memberId)
    if (!member) return NO_MEMBER
    if (member.role === 'owner') return { kind: 'not_allowed', role: own, act: left ? 'leave_own' : 'remove_owner' }
    await deleteMember(tx, teamId, member.user_id)
    const target = { id: member.user_id, label: member.email }
    const action = left ? 'team.member_left' : 'team.member_removed'
    await recordAudit(tx, { teamId, actor, action, target, metadata: { role: member.role } })
    return { kind: 'done', left }
  })
}
