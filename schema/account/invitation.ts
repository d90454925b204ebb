import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, RuledText, Text, Uuid } from '../shape/shape.ts'
import { GIVEN_ROLES } from './role.ts'

/** An invitation works for this many days after it was sent. */
export const INVITATION_DAYS = 7
/** An invitation is forgotten this many days after its link has expired, whatever became of it. */
export const INVITATION_KEPT_DAYS = 30
/** How often an invitation can be sent again within an hour. */
export const RESENDS_PER_HOUR = 3
/** How often a team can invite the same address within an hour, after revocations. */
export const INVITES_PER_HOUR = 3
/** Invitation mails that a team may send within an hour. */
export const invitationMailsPerHour = (seats: number): number => 2 * seats + 10
/** A team may send as many within a day as within so many hours. */
export const INVITATION_MAIL_HOURS_PER_DAY = 5
/** How often an address may look at invitations, a minute: over the API and on the page together. */
export const PREVIEWS_PER_MINUTE = 10

/** The states of an invitation. Only an open one can be accepted, and only an open one takes a seat. */
export const INVITATION_STATES = ['open', 'expired', 'revoked', 'accepted'] as const
export type InvitationState = (typeof INVITATION_STATES)[number]

/** Body of `POST /v1/team/members/invite`. */
export const InvitationCreate = Closed({
  email: RuledText(254, ['email_address'], 'It is stored in lower case.'),
  role: Type.Optional(Choice(GIVEN_ROLES, { default: 'member' })),
})

const invitation = {
  id: Uuid(),
  email: Text(1, 254),
  role: Choice(GIVEN_ROLES),
  invited_by_email: Text(1, 254),
  expires_at: Instant(`${INVITATION_DAYS} days after it was sent.`),
  created_at: Instant(),
}

/** An open invitation. */
export const Invitation = Closed(invitation)
export type Invitation = Static<typeof Invitation>

/** Response of create and resend. */
export const InvitationSent = Closed({
  ...invitation,
  email_sent: Type.Boolean({ description: 'A mail with the link is on its way. False: no mail server is set.' }),
})

/** What the bearer of a link may see before signing in. */
export const InvitationPreview = Closed({
  state: Choice(INVITATION_STATES),
  team_name: Text(1, 80),
  email: Text(1, 254),
  role: Choice(GIVEN_ROLES),
  invited_by: Text(1, 254),
  expires_at: Instant(),
})
export type InvitationPreview = Static<typeof InvitationPreview>

/** The secret part of a link. Its form is not checked: a text that is not a token is unknown. */
export const InvitationToken = Closed({ token: Text(1, 200) })

/** Response of `POST /v1/team/accept`. */
export const InvitationAccepted = Closed({ team_id: Uuid(), team_name: Text(1, 80), role: Choice(GIVEN_ROLES) })
