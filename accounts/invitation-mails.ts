import { INVITATION_MAIL_HOURS_PER_DAY, invitationMailsPerHour } from '../schema/account/invitation.ts'
import { countInvitationMail, type MailBound, type ReachedBound } from '../store/accounts/team/invitation-mails.ts'
import type { TeamRow } from '../store/accounts/team/team-members.ts'
import type { Transaction } from '../store/db/client.ts'
import type { InvitingContext } from './context.ts'

/**
 * Counts a mail with an invitation, whether or not there is a mail server. Returns the bound that refuses it; null: it
 * may be sent. The caller has locked the team.
 */
export async function countMail(
  { invitationMailsPerHour: most, onSharedBound }: InvitingContext,
  tx: Transaction,
  team: TeamRow,
): Promise<ReachedBound | null> {
  const sender = { teamId: team.id, isFree: team.tier === 'free' }
  const reached = await countInvitationMail(tx, sender, [...ownBounds(team), ...sharedBounds(most, sender.isFree)])
  if (reached && reached.of !== 'team') onSharedBound(reached)
  return reached
}

/** A team without a limit of seats has only the bounds that teams share. */
function ownBounds({ max_members: seats }: TeamRow): readonly MailBound[] {
  if (seats === null) return []
  const most = invitationMailsPerHour(seats)
  return [
    { of: 'team', most, per: 'hour' },
    { of: 'team', most: INVITATION_MAIL_HOURS_PER_DAY * most, per: 'day' },
  ]
}

/** Accounts that cost nothing must not use up what the others need. */
function sharedBounds(most: number, isFree: boolean): readonly MailBound[] {
  if (most === 0) return []
  const all = { of: 'installation', most, per: 'hour' } as const
  return isFree ? [{ of: 'free', most: Math.ceil(most / 2), per: 'hour' }, all] : [all]
}
