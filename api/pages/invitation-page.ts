import Type, { type Static } from 'typebox'
import { acceptInvitation } from '../../accounts/invitations.ts'
import { type InvitationPreview, PREVIEWS_PER_MINUTE } from '../../schema/account/invitation.ts'
import { PAGES } from '../../schema/account/pages.ts'
import { Choice, Closed, Text } from '../../schema/shape/shape.ts'
import { previewInvitation } from '../../store/accounts/team/invitations.ts'
import { actorOf, type SessionPrincipal } from '../auth/principals.ts'
import type { SignInCall } from '../auth/relay-sign-in.ts'
import { outcomeError } from '../http/outcome-error.ts'
import { type Answer, publicRoute, type Route } from '../http/route.ts'
import { answered } from './account-pages.ts'
import { cookiesOf, homeOf, signInBy, signUpBy } from './page-account.ts'
import { type Form, pageAnswer, withCookies } from './page-answer.ts'
import { pageSession } from './page-session.ts'

const Token = Text(1, 200)
const Filled = Closed({
  token: Token,
  act: Choice(['accept', 'sign_in', 'sign_up']),
  name: Type.Optional(Text(0, 300)),
  password: Type.Optional(Text(0, 300)),
})
type Filled = Static<typeof Filled>
const answers = { 200: { description: 'A page.', only: 'text/html' } }

/** The page that the link of an invitation opens: the invited person signs in or up there, and joins the team. */
export const invitationPages: readonly Route[] = [
  publicRoute({
    method: 'GET',
    path: PAGES.invitation,
    summary: 'Page: accept an invitation',
    tag: 'Team',
    policy: 'public',
    perAddress: PREVIEWS_PER_MINUTE,
    countedAs: 'invitation',
    // Programs that pass mails on add their own parameters to links.
    query: Type.Object({ token: Type.Optional(Token) }),
    answers,
    async handle(call) {
      const { token = '' } = call.query
      const invitation = await previewInvitation(call.services.store, token)
      return invitation?.state === 'open' ? asked(call, token, invitation) : notOpen(invitation)
    },
  }),
  publicRoute({
    method: 'POST',
    path: PAGES.invitation,
    summary: 'Form: accept an invitation',
    tag: 'Team',
    policy: 'public',
    perAddress: PREVIEWS_PER_MINUTE,
    countedAs: 'invitation',
    isForm: true,
    body: Filled,
    answers,
    async handle(call) {
      const { token } = call.body
      const invitation = await previewInvitation(call.services.store, token)
      if (invitation?.state !== 'open') return notOpen(invitation)
      return answered(
        call,
        (why) => asked(call, token, invitation, `${why}.`),
        () => join(call, call.body, invitation),
      )
    },
  }),
]

/** The session of the caller: the cookie's, or the one that the form opened. */
interface Session {
  readonly principal: SessionPrincipal | null
  readonly cookies: readonly string[]
}

async function join(call: SignInCall, filled: Filled, invitation: InvitationPreview): Promise<Answer> {
  const { services, address } = call
  const { principal, cookies } = await sessionFor(call, filled, invitation.email)
  if (!principal) return asked(call, filled.token, invitation, 'You are not signed in.')
  const { sessionId, userId } = principal
  const acceptance = { token: filled.token, sessionId, userId, actor: actorOf(principal, address) }
  const accepted = await acceptInvitation(services, acceptance)
  // A person who signed in stays signed in, whatever became of the invitation.
  if (accepted.kind !== 'done') {
    const { message } = outcomeError(accepted)
    return withCookies(askedOf(call, { token: filled.token, invitation, principal, fault: message }), cookies)
  }
  const { team, role } = accepted
  const page = pageAnswer({
    title: `You are in ${team.name}`,
    lines: [`Your role is ${role}. This session acts for the team.`],
    links: [{ href: homeOf(call), text: 'Go on' }],
  })
  return withCookies(page, cookies)
}

async function sessionFor(call: SignInCall, { act, name = '', password = '', token }: Filled, email: string) {
  if (act === 'accept') return { principal: await pageSession(call), cookies: [] } satisfies Session
  if (act === 'sign_up') await signUpBy(call, { name, email, password, invitation: token })
  const answer = await signInBy(call, { email, password }, PREVIEWS_PER_MINUTE)
  const bearer = { authorization: `Bearer ${String((answer.body as { readonly token?: unknown }).token)}` }
  const principal = await call.services.principals.find(bearer)
  return { principal: principal?.kind === 'session' ? principal : null, cookies: cookiesOf(answer) } satisfies Session
}

const asked = async (call: SignInCall, token: string, invitation: InvitationPreview, fault?: string): Promise<Answer> =>
  askedOf(call, { token, invitation, principal: await pageSession(call), fault })

/** What the page is made from. */
interface Asked {
  readonly token: string
  readonly invitation: InvitationPreview
  /** Null: nobody is signed in. */
  readonly principal: SessionPrincipal | null
  readonly fault?: string | undefined
}

function askedOf(call: SignInCall, { token, invitation, principal, fault }: Asked): Answer {
  const { email, team_name: team, role, invited_by: who } = invitation
  const isThem = principal?.email === email
  const lines = [
    `${who} invites ${email} to the team ${team}, as ${role}.`,
    ...(principal && !isThem ? [`You are signed in as ${principal.email}. The invitation is for ${email}.`] : []),
  ]
  const forms = isThem ? [formOf(token, 'accept')] : [formOf(token, 'sign_in'), formOf(token, 'sign_up')]
  const provider = `${PAGES.oidc}?invitation=${encodeURIComponent(token)}`
  return pageAnswer(
    {
      title: `Join ${team}`,
      lines,
      fault,
      forms,
      ...(call.services.signIn.handleOidc &&
        !isThem && { links: [{ href: provider, text: 'Sign in with the provider of this installation' }] }),
    },
    fault === undefined ? 200 : 422,
  )
}

const PASSWORD = { name: 'password', label: 'Password', type: 'password' } as const

function formOf(token: string, act: Filled['act']): Form {
  const form = { action: PAGES.invitation, hidden: { token, act } }
  switch (act) {
    case 'accept':
      return { ...form, fields: [], button: 'Accept the invitation' }
    case 'sign_in':
      return {
        ...form,
        title: 'I have an account',
        fields: [{ ...PASSWORD, autocomplete: 'current-password' }],
        button: 'Sign in and accept',
      }
    case 'sign_up':
      return {
        ...form,
        title: 'I am new here',
        fields: [
          { name: 'name', label: 'Name', type: 'text', autocomplete: 'name' },
          { ...PASSWORD, label: 'New password, at least 8 characters', autocomplete: 'new-password', minLength: 8 },
        ],
        button: 'Create an account and accept',
      }
  }
}

const ENDED = {
  expired: 'Its time is over.',
  revoked: 'It was revoked.',
  accepted: 'It was accepted already.',
} as const

function notOpen(invitation: InvitationPreview | null): Answer {
  const title = 'This invitation does not work any more'
  if (invitation === null || invitation.state === 'open')
    return pageAnswer({ title, lines: ['The link is not one of ours, or a newer one has replaced it.'] }, 404)
  const advice = `Ask ${invitation.invited_by} to send a new one.`
  return pageAnswer(
    { title, lines: [ENDED[invitation.state], ...(invitation.state === 'accepted' ? [] : [advice])] },
    409,
  )
}
