import type { ManyKeys } from '../../accounts/api-keys.ts'
import type { NotBilled } from '../../accounts/billing/with-payments.ts'
import type { AlreadyThere, InvitationEnded, InvitationInvalid, NoSeat, SentOften } from '../../accounts/invitations.ts'
import type { NotAllowed, TeamAct } from '../../accounts/team-act.ts'
import { forbidden, POLICIES, type PolicyName } from '../auth/policies.ts'
import { apiError, ApiError } from './api-error.ts'

/** The permission that an action belongs to, and how it is named in a refusal; by default as the permission is. */
const ACTS: Readonly<Record<TeamAct, { readonly permission: PolicyName; readonly what?: string }>> = {
  rename: { permission: 'team.rename' },
  invite: { permission: 'members.invite' },
  manage: { permission: 'members.manage' },
  keys: { permission: 'keys.manage' },
  settings: { permission: 'settings.manage' },
  publish: { permission: 'status.publish' },
  change_owner: { permission: 'members.manage', what: "change the owner's role" },
  change_self: { permission: 'members.manage', what: 'change your own role' },
  remove_owner: { permission: 'members.manage', what: 'remove the owner' },
  leave_own: { permission: 'members.leave', what: 'leave the team that you own' },
}

export function notAllowed({ role, act }: NotAllowed): ApiError {
  const { permission, what = POLICIES[permission].permission } = ACTS[act]
  if (role === null) return forbidden('You are not a member of this team any more', permission)
  return forbidden(`Your role ${role} does not allow you to ${what}`, permission)
}

export const SUBSCRIBED =
  'The team has a subscription that would be renewed. Cancel it first (POST /v1/billing/cancel).'

const ALREADY = {
  member: 'A member of the team has this address already.',
  invitation: 'An invitation of this address is open already: send it again, or revoke it first.',
} as const satisfies Record<AlreadyThere['as'], string>

export const manyKeys = ({ limit }: ManyKeys): ApiError =>
  apiError('CONFLICT', `A team can have ${limit} API keys that work. Delete one that is not used any more.`)

const ENDED = {
  open: 'The invitation is open.',
  accepted: 'The invitation was accepted. Remove the member instead.',
  revoked: 'The invitation was revoked. Invite the address again.',
  expired: 'The invitation has expired. Invite the address again.',
} as const satisfies Record<InvitationEnded['state'], string>

const INVALID = {
  accepted: 'The invitation was accepted already.',
  revoked: 'The invitation was revoked. Ask whoever sent it for another one.',
  expired: 'The invitation has expired. Ask whoever sent it for another one.',
  address: 'The invitation was sent to another address. Sign in with the account of that address.',
  member: 'You are a member of this team already.',
} as const satisfies Record<InvitationInvalid['why'], string>

/** The field of the request that would take the seat. */
const SEAT_FIELDS = { invite: 'email', accept: 'token' } as const satisfies Record<NoSeat['act'], string>

function noSeat({ act, tier, seats, members, pending }: NoSeat): ApiError {
  const taken = `members: ${members}, open invitations: ${pending}`
  const message =
    `The team has no seat left. The plan ${tier} has ${seats} (${taken}). Remove a member, revoke an invitation, or ` +
    'ask the owner for a larger plan.'
  return apiError('TIER_LIMIT_EXCEEDED', message, [{ path: SEAT_FIELDS[act], limit: seats, tier }])
}

function sentOften({ of, most, per, waitSeconds }: SentOften): ApiError {
  const time = per === 'hour' ? 'an hour' : 'a day'
  const message = `${OFTEN[of](`${most}`, time)} Try again in ${waitSeconds} s.`
  return new ApiError('RATE_LIMIT_EXCEEDED', message, { headers: { 'retry-after': String(waitSeconds) } })
}

const mails = (who: string) => (most: string, time: string) =>
  `${who} can send ${most} invitation mails ${time}; those of revoked invitations and those sent again count.`
const OFTEN = {
  address: (most, time) => `A team can invite the same address ${most} times ${time}.`,
  invitation: (most, time) => `An invitation can be sent again ${most} times ${time}.`,
  team: mails('This team, with its number of seats,'),
  free: mails('All teams on the plan free together'),
  installation: mails('All teams of this installation together'),
} as const satisfies Record<SentOften['of'], (most: string, time: string) => string>

type InvitationRefusal = AlreadyThere | NoSeat | InvitationEnded | InvitationInvalid | SentOften

/** Returns the error that answers a refusal of an invitation. */
export function invitationRefusal(refusal: InvitationRefusal): ApiError {
  switch (refusal.kind) {
    case 'already_there':
      return apiError('CONFLICT', ALREADY[refusal.as])
    case 'no_seat':
      return noSeat(refusal)
    case 'invitation_ended':
      return apiError('CONFLICT', ENDED[refusal.state])
    case 'invitation_invalid':
      return apiError('INVITATION_INVALID', INVALID[refusal.why])
    case 'sent_often':
      return sentOften(refusal)
  }
}

export const PAYMENTS_AWAY =
  'The payment provider did not answer as it should. Nothing was bought or changed; try again in a moment.'
export const NOT_BILLED = {
  manual: 'This installation takes no payments. Its administrator gives plans and run credits.',
  subscribed: 'The team has a subscription already. Change its plan on the page of POST /v1/billing/portal.',
  no_subscription: 'The team has no subscription. Begin one with POST /v1/billing/checkout.',
  trial_over:
    'The trial is over and the team has no plan, so run credits would pay for nothing. Choose a plan first, with ' +
    'POST /v1/billing/checkout.',
  no_customer: 'Nothing was bought yet. Begin with POST /v1/billing/checkout or POST /v1/billing/credits.',
} as const satisfies Record<Exclude<NotBilled['why'], 'away'>, string>

export const KEY_REPLACED =
  'This key has been replaced already and works until its grace ends. Rotate the key that replaced it.'
