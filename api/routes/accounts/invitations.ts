import { acceptInvitation, inviteMember, resendInvitation, revokeInvitation } from '../../../accounts/invitations.ts'
import {
  InvitationAccepted,
  InvitationCreate,
  InvitationPreview,
  InvitationSent,
  InvitationToken,
  INVITES_PER_HOUR,
  PREVIEWS_PER_MINUTE,
  RESENDS_PER_HOUR,
} from '../../../schema/account/invitation.ts'
import { previewInvitation } from '../../../store/accounts/team/invitations.ts'
import { sessionOf } from '../../auth/principals.ts'
import { noSuch } from '../../http/common-errors.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, created, noContent, ok, publicRoute, type Route, route } from '../../http/route.ts'

const tag = 'Team'

const inviteRoute = route({
  method: 'POST',
  path: '/v1/team/members/invite',
  summary: 'Invite a person',
  description:
    'An open invitation takes a seat. 409 if the address is that of a member or of an open invitation. A team can ' +
    `invite the same address ${INVITES_PER_HOUR} times an hour. Invitation mails have bounds: by team, and for all ` +
    'teams together. 429 `RATE_LIMIT_EXCEEDED` says which is reached.',
  tag,
  policy: 'members.invite',
  body: InvitationCreate,
  defaults: true,
  answers: { 201: { description: 'The invitation.', schema: InvitationSent } },
  refusals: ['TIER_LIMIT_EXCEEDED'],
  async handle({ body: { email, role = 'member' }, principal: { teamId, userId }, actor, services }) {
    const sent = doneOf(await inviteMember(services, { teamId, userId, actor, email, role }))
    return created({ ...sent.invitation, email_sent: sent.emailSent })
  },
})

const previewRoute = publicRoute({
  method: 'GET',
  path: '/v1/team/invitation',
  summary: 'Look at an invitation',
  description: 'For whoever has the link, signed in or not. The token of a link that was replaced is unknown.',
  tag,
  policy: 'public',
  perAddress: PREVIEWS_PER_MINUTE,
  countedAs: 'invitation',
  query: InvitationToken,
  answers: { 200: { description: 'The invitation.', schema: InvitationPreview } },
  refusals: ['NOT_FOUND'],
  async handle({ query: { token }, services: { store } }) {
    const preview = await previewInvitation(store, token)
    if (!preview) throw noSuch('invitation')
    return ok(preview)
  },
})

const acceptRoute = route({
  method: 'POST',
  path: '/v1/team/accept',
  summary: 'Accept an invitation',
  description:
    'For the account of the invited address. Afterwards this session acts for the team. 409 `INVITATION_INVALID` if ' +
    'the invitation is not open, or was sent to another address; 404 if the token is unknown.',
  tag,
  policy: 'teams.choose',
  body: InvitationToken,
  answers: { 200: { description: 'The account is a member.', schema: InvitationAccepted } },
  refusals: ['NOT_FOUND', 'INVITATION_INVALID', 'TIER_LIMIT_EXCEEDED'],
  async handle({ body: { token }, principal, actor, services }) {
    const { sessionId, userId } = sessionOf(principal)
    const { team, role } = doneOf(await acceptInvitation(services, { token, sessionId, userId, actor }))
    return ok({ team_id: team.id, team_name: team.name, role })
  },
})

const resendRoute = route({
  method: 'POST',
  path: '/v1/team/invitations/:id/resend',
  summary: 'Send an open invitation again',
  description:
    `It gets a new link and its whole time again; the old link stops working. At most ${RESENDS_PER_HOUR} times an ` +
    'hour, and within the bounds of invitation mails. 409 if the invitation is not open.',
  tag,
  policy: 'members.invite',
  params: ById,
  answers: { 200: { description: 'The invitation.', schema: InvitationSent } },
  async handle({ params: { id }, principal: { teamId, userId }, actor, services }) {
    const sent = doneOf(await resendInvitation(services, { teamId, userId, actor, id }))
    return ok({ ...sent.invitation, email_sent: sent.emailSent })
  },
})

const revokeRoute = route({
  method: 'DELETE',
  path: '/v1/team/invitations/:id',
  summary: 'Revoke an invitation',
  description: '409 if it was accepted or revoked already.',
  tag,
  policy: 'members.invite',
  params: ById,
  answers: { 204: { description: 'The invitation is revoked.' } },
  async handle({ params: { id }, principal: { teamId, userId }, actor, services }) {
    doneOf(await revokeInvitation(services, { teamId, userId, actor, id }))
    return noContent()
  },
})

export const invitationRoutes: readonly Route[] = [inviteRoute, previewRoute, acceptRoute, resendRoute, revokeRoute]
