import Type, { type TSchema } from 'typebox'
import { Closed, Nullable, RuledText, Text, Token } from '../../../schema/shape/shape.ts'
import { isInvited } from '../../../store/accounts/team/invitations.ts'
import {
  changingPassword,
  confirming,
  relaySignIn,
  relayUnseen,
  signingIn,
  type SignInCall,
  type SignInOperation,
} from '../../auth/relay-sign-in.ts'
import { INVITED_HEADER } from '../../auth/sign-in-options.ts'
import { apiError } from '../../http/api-error.ts'
import { type Answer, type Method, publicRoute, type Route } from '../../http/route.ts'

const tag = 'Sign-in'
/** The most attempts per minute from an address and for an account. */
const ATTEMPTS = 10
/** The limit for operations that need a session. */
const ORDINARY = 300

const Email = RuledText(254, ['email_address'])
const NewPassword = Text(8, 128, 'At least 8 characters.')
const GivenPassword = Text(1, 128)

const User = Type.Object({ id: Type.String(), email: Type.String(), name: Type.String() })
const SignedIn = Type.Object({
  token: Nullable(
    Type.String({ description: 'The session, for `Authorization: Bearer`. It is also set as a cookie.' }),
  ),
  user: User,
})
const Done = Type.Object({})
/** What operations share that send a mail to an address. */
const ASKS_FOR_MAIL = {
  description:
    'Only where this installation sends mail. The answer is the same for an address that has no account. An ' +
    'address gets one mail a minute.',
  body: Closed({ email: Email }),
  answer: Done,
  perAddress: ATTEMPTS,
  guard: needsMail,
  unseen: true,
} as const

/**
 * The sign-in operations: those of the sign-in library that are served. Its other operations are not reachable here.
 */
export const signInRoutes: readonly Route[] = [
  operation('POST', '/auth/sign-up/email', {
    summary: 'Create an account',
    description:
      'Only if TIDEMARK_SIGNUP is `open`, or with the token of an open invitation for the address. The account gets ' +
      'its own team and is signed in. Where this installation sends mail (SMTP_URL), nobody is signed in (`token` is ' +
      'null), and the answer is the same for an address that has an account: its owner gets a mail.',
    body: Closed({
      name: Text(1, 200),
      email: Email,
      password: NewPassword,
      invitation: Type.Optional(Token(200, 'The token of an invitation. With it the address counts as confirmed.')),
    }),
    answer: SignedIn,
    perAddress: ATTEMPTS,
    relayedTo: signUpOf,
  }),
  operation('POST', '/auth/sign-in/email', {
    summary: 'Sign in',
    body: Closed({ email: Email, password: GivenPassword }),
    answer: SignedIn,
    perAddress: ATTEMPTS,
    perAccount: ATTEMPTS,
    relayedTo: signingIn,
  }),
  operation('POST', '/auth/sign-out', { summary: 'Sign out', answer: Done }),
  operation('GET', '/auth/get-session', {
    summary: 'Read the session',
    answer: Nullable(Type.Object({ user: User, session: Type.Object({ expiresAt: Type.String() }) })),
  }),
  operation('GET', '/auth/list-sessions', {
    summary: 'List the sessions of the signed-in user',
    answer: Type.Array(Type.Object({})),
  }),
  operation('POST', '/auth/revoke-session', {
    summary: 'End a session',
    body: Closed({ token: Token(200) }),
    answer: Done,
  }),
  operation('POST', '/auth/revoke-other-sessions', { summary: 'End all other sessions', answer: Done }),
  operation('POST', '/auth/change-password', {
    summary: 'Change the password',
    description: 'All other sessions end. The new one acts for the team of the one that asked.',
    body: Closed({ currentPassword: GivenPassword, newPassword: NewPassword }),
    answer: SignedIn,
    perAddress: ATTEMPTS,
    always: { revokeOtherSessions: true },
    relayedTo: changingPassword,
  }),
  operation('POST', '/auth/reset-password', {
    summary: 'Set a new password with a token',
    description: 'The token is in the link of a mail, and works once. `admin link` makes one too. All sessions end.',
    body: Closed({ token: Token(200), newPassword: NewPassword }),
    answer: Done,
    perAddress: ATTEMPTS,
  }),
  operation('POST', '/auth/request-password-reset', {
    summary: 'Ask for a mail to set a new password',
    ...ASKS_FOR_MAIL,
  }),
  operation('POST', '/auth/send-verification-email', {
    summary: 'Ask for a mail to confirm an address',
    ...ASKS_FOR_MAIL,
  }),
  operation('POST', '/auth/verify-email', {
    summary: 'Confirm an address with a token',
    description:
      'The token is in the link of the mail. The password is the one of the sign-up: somebody else may have signed ' +
      'up with the address, and whoever gets the mail must not confirm an account that another person can open.',
    body: Closed({ token: Token(700), password: GivenPassword }),
    answer: Done,
    perAddress: ATTEMPTS,
    relayedTo: async ({ body }) => {
      const { token, password } = body as { readonly token: string; readonly password: string }
      return confirming(token, password)
    },
  }),
  operation('POST', '/auth/update-user', {
    summary: 'Change the name',
    body: Closed({ name: Text(1, 200) }),
    answer: Done,
  }),
]

/** Returns how a sign-up is relayed. Throws FORBIDDEN where it needs an invitation and has none. */
export async function signUpOf({ body, services }: SignInCall): Promise<Partial<SignInOperation>> {
  const { email, invitation } = body as { readonly email: string; readonly invitation?: string }
  const without = ['invitation']
  if (invitation !== undefined && (await isInvited(services.store, invitation, email)))
    return { without, headers: { [INVITED_HEADER]: 'yes' } }
  if (services.signUp === 'open') return { without }
  throw apiError('FORBIDDEN', invitation === undefined ? BY_INVITATION : NOT_INVITED)
}

const BY_INVITATION =
  'Accounts are made by invitation here. Open the link of your invitation, or ask whoever runs this installation.'
const NOT_INVITED =
  'The invitation is not open, or is for another address. Ask a team admin or the owner to send it again.'

function needsMail({ services }: SignInCall): void {
  if (!services.mail.hasServer)
    throw apiError('FORBIDDEN', 'This installation sends no mail. Ask whoever runs it: admin link prints a link.')
}

interface Operation {
  readonly summary: string
  readonly description?: string
  readonly body?: TSchema
  readonly answer: TSchema
  readonly perAddress?: number
  readonly perAccount?: number
  /** Properties that are added to the body. */
  readonly always?: object
  guard?(call: SignInCall): void
  /** The answer waits for nothing, and is always the same. */
  readonly unseen?: boolean
  /** The library's operation, where it differs from the route. */
  relayedTo?(call: SignInCall): Promise<Partial<SignInOperation>>
}

function operation(method: Method, path: string, def: Operation): Route {
  const { summary, description, body, answer, perAddress = ORDINARY, perAccount } = def
  return publicRoute({
    method,
    path,
    summary,
    ...(description !== undefined && { description }),
    tag,
    policy: 'public',
    perAddress,
    ...(body && { body }),
    answers: { 200: { description: 'Done.', schema: answer } },
    refusals: ['UNAUTHORIZED', 'FORBIDDEN'],
    beyond: true,
    handle: async (call): Promise<Answer> => {
      def.guard?.(call)
      return (def.unseen === true ? relayUnseen : relaySignIn)(call, {
        method,
        path,
        always: def.always ?? {},
        ...(await def.relayedTo?.(call)),
        ...(perAccount !== undefined && { perAccount }),
      })
    },
  })
}
