import type { NotFound } from '../core/outcome.ts'
import type { Actor } from '../schema/account/audit.ts'
import {
  type Invitation,
  INVITES_PER_HOUR,
  type InvitationState,
  RESENDS_PER_HOUR,
} from '../schema/account/invitation.ts'
import { PAGES } from '../schema/account/pages.ts'
import type { Tier } from '../schema/account/plan.ts'
import type { GivenRole } from '../schema/account/role.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { activateTeam } from '../store/accounts/credentials/sessions.ts'
import { lockAccount } from '../store/accounts/end-account.ts'
import type { MailBound } from '../store/accounts/team/invitation-mails.ts'
import {
  endInvitation,
  findInvitation,
  findInvitationByToken,
  type FoundInvitation,
  hasInvitation,
  insertInvitation,
  type IssuedInvitation,
  recentInvites,
  recentResends,
  renewInvitation,
} from '../store/accounts/team/invitations.ts'
import {
  findMember,
  hasMember,
  insertMember,
  lockTeam,
  readTeam,
  roleIn,
  type TeamRow,
} from '../store/accounts/team/team-members.ts'
import type { Transaction } from '../store/db/client.ts'
import type { AccountContext, InvitingContext, MailingContext } from './context.ts'
import { countMail } from './invitation-mails.ts'
import { beginTeamAct, type NotAllowed, type UserRequester } from './team-act.ts'

const NO_INVITATION: NotFound = { kind: 'not_found', what: 'invitation' }

/** The invitation was written, with a link that works. */
interface Sent {
  readonly kind: 'done'
  readonly invitation: Invitation
  /** A mail with the link is queued. */
  readonly emailSent: boolean
}

/** The address belongs to a member, or to an open invitation. */
export interface AlreadyThere {
  readonly kind: 'already_there'
  readonly as: 'member' | 'invitation'
}

/** The plan has no seat left. */
export interface NoSeat {
  readonly kind: 'no_seat'
  readonly act: 'invite' | 'accept'
  readonly tier: Tier
  readonly seats: number
  readonly members: number
  readonly pending: number
}

/** The invitation is not open any more. */
export interface InvitationEnded {
  readonly kind: 'invitation_ended'
  readonly state: InvitationState
}

/** So many mails were sent already: to the address, with the invitation, or by whom a bound counts together. */
export interface SentOften {
  readonly kind: 'sent_often'
  readonly of: 'address' | 'invitation' | MailBound['of']
  readonly most: number
  readonly per: MailBound['per']
  readonly waitSeconds: number
}

const sentOften = (of: 'address' | 'invitation', most: number, seconds: number | null): SentOften => ({
  kind: 'sent_often',
  of,
  most,
  per: 'hour',
  waitSeconds: Math.max(1, seconds ?? 1),
})

/** The invitation cannot be accepted, or not by this account. */
export interface InvitationInvalid {
  readonly kind: 'invitation_invalid'
  readonly why: Exclude<InvitationState, 'open'> | 'address' | 'member'
}

/** Invites an address to a team. */
export async function inviteMember(
  context: InvitingContext,
  { email, role, ...requester }: UserRequester & { readonly email: string; readonly role: GivenRole },
): Promise<Sent | NotAllowed | AlreadyThere | NoSeat | SentOften> {
  const { teamId, actor, userId } = requester
  const address = email.toLowerCase()
  return context.store.transaction(async (tx): Promise<Sent | NotAllowed | AlreadyThere | NoSeat | SentOften> => {
    const refused = await beginTeamAct(tx, requester, 'invite')
    if (refused) return refused
    if (await hasMember(tx, teamId, address)) return { kind: 'already_there', as: 'member' }
    if (await hasInvitation(tx, teamId, address)) return { kind: 'already_there', as: 'invitation' }
    const team = await readTeam(tx, teamId)
    if (seatsLeft(team, team.pending_invites) < 1) return noSeat('invite', team)
    // A person who invites and revokes in turn must not fill somebody's mailbox.
    const { count, wait_seconds } = await recentInvites(tx, teamId, address)
    if (count >= INVITES_PER_HOUR) return sentOften('address', INVITES_PER_HOUR, wait_seconds)
    const reached = await countMail(context, tx, team)
    if (reached) return { kind: 'sent_often', ...reached }
    const issued = await insertInvitation(tx, { teamId, email: address, role, invitedBy: userId })
    const { invitation } = issued
    const target = { id: invitation.id, label: address }
    await recordAudit(tx, { teamId, actor, action: 'team.member_invited', target, metadata: { role } })
    return { kind: 'done', invitation, emailSent: await mailInvitation(context, tx, team, issued) }
  })
}

/** Returns the address at which a person looks at an invitation, and accepts it. */
export const invitationLink = (baseUrl: string, token: string): string =>
  `${baseUrl}${PAGES.invitation}?token=${encodeURIComponent(token)}`

function mailInvitation(
  { mail, baseUrl }: MailingContext,
  tx: Transaction,
  team: Pick<TeamRow, 'id' | 'name'>,
  { invitation: { email: to, role, invited_by_email: invited_by, expires_at }, token }: IssuedInvitation,
): Promise<boolean> {
  const facts = { team_name: team.name, role, invited_by, expires_at }
  return mail.add(tx, { kind: 'invitation', teamId: team.id, to, link: invitationLink(baseUrl, token), ...facts })
}

/** An invitation of the requester's team. */
interface OfInvitation extends UserRequester {
  readonly id: string
}

/** Sends an open invitation again, with a new link. The old link stops working. */
export async function resendInvitation(
  context: InvitingContext,
  { id, ...requester }: OfInvitation,
): Promise<Sent | NotAllowed | NotFound | InvitationEnded | SentOften> {
  const { teamId, actor } = requester
  return context.store.transaction(async (tx): Promise<Sent | NotAllowed | NotFound | InvitationEnded | SentOften> => {
    const refused = await beginTeamAct(tx, requester, 'invite')
    if (refused) return refused
    const found = await findInvitation(tx, teamId, id)
    if (!found) return NO_INVITATION
    if (found.state !== 'open') return { kind: 'invitation_ended', state: found.state }
    const { count, wait_seconds: waitSeconds } = await recentResends(tx, id)
    if (count >= RESENDS_PER_HOUR) return sentOften('invitation', RESENDS_PER_HOUR, waitSeconds)
    const team = await readTeam(tx, teamId)
    const reached = await countMail(context, tx, team)
    if (reached) return { kind: 'sent_often', ...reached }
    const issued = await renewInvitation(tx, id)
    const { invitation } = issued
    const target = { id: found.id, label: found.email }
    const metadata = { role: found.role }
    await recordAudit(tx, { teamId, actor, action: 'team.invitation_resent', target, metadata })
    return { kind: 'done', invitation, emailSent: await mailInvitation(context, tx, team, issued) }
  })
}

/** Revokes an invitation that was not accepted. Its link stops working, and its seat is free. */
export async function revokeInvitation(
  { store }: AccountContext,
  { id, ...requester }: OfInvitation,
): Promise<{ readonly kind: 'done' } | NotAllowed | NotFound | InvitationEnded> {
  const { teamId, actor } = requester
  return store.transaction(async (tx) => {
    const refused = await beginTeamAct(tx, requester, 'invite')
    if (refused) return refused
    const found = await findInvitation(tx, teamId, id)
    if (!found) return NO_INVITATION
    const { state } = found
    if (state === 'accepted' || state === 'revoked') return { kind: 'invitation_ended', state } as const
    await endInvitation(tx, id, 'revoked')
    const target = { id: found.id, label: found.email }
    await recordAudit(tx, { teamId, actor, action: 'team.invitation_revoked', target, metadata: { role: found.role } })
    return { kind: 'done' } as const
  })
}

/** Somebody who is signed in, with the token of a link. */
interface Acceptance {
  readonly token: string
  readonly sessionId: string
  readonly userId: string
  readonly actor: Actor
}

/** The account is a member now, and its session acts for the team. */
interface Accepted {
  readonly kind: 'done'
  readonly team: { readonly id: string; readonly name: string }
  readonly role: GivenRole
}

/** Makes the account a member of the team that its address was invited to. */
export async function acceptInvitation(
  context: MailingContext,
  acceptance: Acceptance,
): Promise<Accepted | NotFound | InvitationInvalid | NoSeat> {
  const { token } = acceptance
  return context.store.transaction(async (tx): Promise<Accepted | NotFound | InvitationInvalid | NoSeat> => {
    // An account that is being deleted joins nothing.
    const account = await lockAccount(tx, acceptance.userId)
    if (!account) return NO_INVITATION
    const seen = await findInvitationByToken(tx, token)
    if (!seen || !(await lockTeam(tx, seen.team_id))) return NO_INVITATION
    // Another request may have accepted, revoked or renewed it while this one waited.
    const invitation = await findInvitationByToken(tx, token)
    if (!invitation) return NO_INVITATION
    const outcome = await join(tx, invitation, { ...acceptance, address: account.email })
    if (outcome.kind === 'done') await notifyInviter(context, tx, invitation, outcome.team)
    return outcome
  })
}

/** Sends a mail to the person who invited, if still a member. */
async function notifyInviter(
  { mail }: MailingContext,
  tx: Transaction,
  { team_id: teamId, invited_by: userId, email: member, role }: FoundInvitation,
  { name: team_name }: { readonly name: string },
): Promise<void> {
  const inviter = await findMember(tx, teamId, userId)
  if (inviter)
    await mail.add(tx, {
      kind: 'invitation_accepted',
      teamId,
      to: inviter.email,
      link: null,
      team_name,
      role,
      member,
    })
}

async function join(
  tx: Transaction,
  { id, team_id: teamId, email, role, state }: FoundInvitation,
  { sessionId, userId, address, actor }: Acceptance & { readonly address: string },
): Promise<Accepted | InvitationInvalid | NoSeat> {
  if (email !== address) return { kind: 'invitation_invalid', why: 'address' }
  if (state !== 'open') return { kind: 'invitation_invalid', why: state }
  if ((await roleIn(tx, teamId, userId)) !== null) return { kind: 'invitation_invalid', why: 'member' }
  const team = await readTeam(tx, teamId)
  // Its own seat is among those of the open invitations. After a change of plan these may be more than there are.
  if (seatsLeft(team, 0) < 1) return noSeat('accept', team)
  await endInvitation(tx, id, 'accepted')
  await insertMember(tx, teamId, userId, role)
  await activateTeam(tx, sessionId, teamId)
  const target = { id: userId, label: email }
  const metadata = { role, invitation_id: id }
  await recordAudit(tx, { teamId, actor, action: 'team.member_joined', target, metadata })
  return { kind: 'done', team: { id: teamId, name: team.name }, role }
}

const seatsLeft = ({ max_members: most, member_count: members }: TeamRow, pending: number) =>
  (most ?? Infinity) - members - pending

const noSeat = (
  act: NoSeat['act'],
  { tier, max_members: seats, member_count: members, pending_invites: pending }: TeamRow,
): NoSeat => ({
  kind: 'no_seat',
  act,
  tier,
  seats: seats ?? Infinity,
  members,
  pending,
})
