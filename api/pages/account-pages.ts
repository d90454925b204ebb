import Type from 'typebox'
import { invitationLink } from '../../accounts/invitations.ts'
import { PAGES } from '../../schema/account/pages.ts'
import { EMAIL_ADDRESS } from '../../schema/rules/monitor-rules.ts'
import { Closed, Text } from '../../schema/shape/shape.ts'
import { mayBeCrossSite } from '../auth/cross-site.ts'
import { OIDC_FAULTS } from '../auth/oidc.ts'
import {
  beginOidc,
  confirming,
  endOidc,
  relaySignIn,
  relayUnseen,
  type SignInCall as PageCall,
} from '../auth/relay-sign-in.ts'
import { ApiError } from '../http/api-error.ts'
import { type Answer, publicRoute, type Route } from '../http/route.ts'
import { ownPath } from './own-path.ts'
import { type Form, pageAnswer } from './page-answer.ts'

/** Requests a minute from an address. */
export const LOOKS = 60
export const ATTEMPTS = 10
const tag = 'Sign-in'
/** A mangled one has its page, too. With the other fields it fits into a form, each character as four bytes. */
const LinkToken = Text(1, 700)
/** Programs that pass mails on add their own parameters to links. */
const WithToken = Type.Object({ token: Type.Optional(LinkToken) })
const HTML = { 200: { description: 'A page.', only: 'text/html' } }
const REDIRECT = { 302: { description: 'A redirect.', only: 'text/plain' } }
const shown = { method: 'GET', tag, policy: 'public', perAddress: LOOKS, query: WithToken, answers: HTML } as const
const posted = { method: 'POST', tag, policy: 'public', perAddress: ATTEMPTS, isForm: true, answers: HTML } as const

/** The pages that the links of mails open, until a dashboard has its own. */
export const accountPages: readonly Route[] = [
  publicRoute({
    ...shown,
    path: PAGES.verify,
    summary: 'Page: confirm an address',
    // A program that opens the links of mails must confirm nothing. So a person presses a button.
    handle: async ({ query: { token = '' } }) =>
      pageAnswer({
        title: 'Confirm your address',
        lines: [
          'Somebody created a Tidemark account with your address. If it was you, confirm it with the password that ' +
            'you chose.',
        ],
        forms: [confirmForm(token)],
      }),
  }),
  publicRoute({
    ...posted,
    path: PAGES.verify,
    summary: 'Form: confirm an address',
    body: Closed({ token: Type.Optional(LinkToken), password: Type.Optional(Text(0, 300)) }),
    handle: (call) => {
      const { token = '', password = '' } = call.body
      return answered(
        call,
        (why) => (isAboutPassword(why) ? confirmAgain(token, why) : linkIsOver()),
        async () => {
          await relaySignIn(withBody(call, {}), confirming(token, password))
          return pageAnswer({ title: 'Your address is confirmed', lines: [], links: [SIGN_IN] })
        },
      )
    },
  }),
  publicRoute({
    ...shown,
    path: PAGES.oidc,
    summary: 'Sign in with the provider',
    answers: REDIRECT,
    query: Closed({
      invitation: Type.Optional(Text(1, 200)),
      next: Type.Optional(Type.String({ description: 'A path of this service, where the browser goes then.' })),
    }),
    handle(call) {
      const { invitation, next } = call.query
      const { baseUrl } = call.services
      const path = ownPath(next)
      return beginOidc(call, {
        ...(invitation !== undefined && { additionalData: { invitation } }),
        callbackURL:
          invitation !== undefined ? invitationLink(baseUrl, invitation) : path ? baseUrl + path : signedInAt(call),
        errorCallbackURL: `${baseUrl}${PAGES.oidcFailed}`,
      })
    },
  }),
  publicRoute({
    ...shown,
    path: '/auth/callback/oidc',
    summary: 'The provider sends the browser back here',
    answers: REDIRECT,
    // Providers add their own parameters.
    query: Type.Unsafe<Readonly<Record<string, string>>>({ type: 'object' }),
    handle: (call) => endOidc(call, call.query),
  }),
  publicRoute({
    ...shown,
    path: PAGES.oidcFailed,
    summary: 'Page: the sign-in with the provider failed',
    query: Type.Object({ error: Type.Optional(Type.String()) }),
    handle: async ({ query: { error = '' } }) =>
      pageAnswer(
        {
          title: 'You are not signed in',
          lines: [OIDC_FAULTS.get(error) ?? 'The sign-in with the provider failed.'],
          links: [{ href: PAGES.oidc, text: 'Try again' }],
        },
        403,
      ),
  }),
  publicRoute({
    ...shown,
    path: PAGES.signedIn,
    summary: 'Page: signed in',
    query: Closed({}),
    handle: async () => pageAnswer({ title: 'You are signed in', lines: ['You can close this page.'] }),
  }),
  publicRoute({
    ...shown,
    path: PAGES.reset,
    summary: 'Page: set a new password',
    handle: async ({ query: { token }, services }) =>
      token === undefined
        ? askForReset(services.mail.hasServer)
        : pageAnswer({ ...NEW_PASSWORD, forms: [resetForm(token)] }),
  }),
  publicRoute({
    ...posted,
    path: PAGES.reset,
    summary: 'Form: set a new password',
    body: Closed({
      token: Type.Optional(LinkToken),
      password: Type.Optional(Text(0, 300)),
      email: Type.Optional(Text(0, 254)),
    }),
    handle: (call) => {
      const { token, password = '', email } = call.body
      if (token === undefined) return answered(call, askAgain, () => sendReset(call, email ?? ''))
      return answered(
        call,
        (why) => (isAboutPassword(why) ? tryAgain(token, why) : linkIsOver()),
        async () => {
          const always = { token, newPassword: password }
          await relaySignIn(withBody(call, {}), { method: 'POST', path: '/auth/reset-password', always })
          return pageAnswer({
            title: 'Your new password is set',
            lines: ['Every session of the account has ended. Sign in with the new password.'],
            links: [SIGN_IN],
          })
        },
      )
    },
  }),
]

/** Where a browser goes with its new session: to the dashboard, where there is one. */
const signedInAt = ({ services: { baseUrl, dashboardUrl } }: PageCall) => dashboardUrl ?? `${baseUrl}${PAGES.signedIn}`

const SIGN_IN = { href: PAGES.signIn, text: 'Sign in' }
const NEW_PASSWORD = { title: 'Set a new password', lines: ['It ends every session of the account.'] }

const resetForm = (token: string): Form => ({
  action: PAGES.reset,
  hidden: { token },
  fields: [
    {
      name: 'password',
      label: 'New password, at least 8 characters',
      type: 'password',
      autocomplete: 'new-password',
      minLength: 8,
    },
  ],
  button: 'Set the password',
})

const ASK_FORM: Form = {
  action: PAGES.reset,
  fields: [{ name: 'email', label: 'Address of your account', type: 'email', autocomplete: 'email' }],
  button: 'Send a link',
}

function askForReset(hasMail: boolean): Answer {
  if (hasMail)
    return pageAnswer({ title: NEW_PASSWORD.title, lines: ['A mail with a link is sent to you.'], forms: [ASK_FORM] })
  return pageAnswer({
    title: NEW_PASSWORD.title,
    lines: ['This installation sends no mail. Whoever runs it can print a link for you.'],
  })
}

/** The answer is the same whether the address has an account or not. */
async function sendReset(call: PageCall, email: string): Promise<Answer> {
  if (EMAIL_ADDRESS.check(email).length > 0) return askAgain(`The address ${EMAIL_ADDRESS.message}`)
  const path = '/auth/request-password-reset'
  if (call.services.mail.hasServer) relayUnseen(withBody(call, { email }), { method: 'POST', path, always: {} })
  return pageAnswer({
    title: 'Look into your mailbox',
    lines: ['If the address has an account, a mail with a link is on its way.'],
  })
}

const confirmForm = (token: string): Form => ({
  action: PAGES.verify,
  hidden: { token },
  fields: [{ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }],
  button: 'Confirm',
})

const confirmAgain = (token: string, fault: string): Answer =>
  pageAnswer(
    {
      title: 'Confirm your address',
      lines: ['If you did not create the account, set a new password: nobody else can open the account then.'],
      fault: `${fault}.`,
      forms: [confirmForm(token)],
      links: [{ href: PAGES.reset, text: 'Ask for a link to set a new password' }],
    },
    422,
  )

const isAboutPassword = (why: string) => /password/i.test(why)
const tryAgain = (token: string, fault: string): Answer =>
  pageAnswer({ ...NEW_PASSWORD, fault: `${fault}.`, forms: [resetForm(token)] }, 422)
const askAgain = (fault: string): Answer =>
  pageAnswer({ title: NEW_PASSWORD.title, lines: [], fault: `${fault}.`, forms: [ASK_FORM] }, 422)
const linkIsOver = (): Answer =>
  pageAnswer(
    {
      title: 'This link does not work any more',
      lines: ['It was used already, a newer one has replaced it, or its time is over.'],
      links: [{ href: PAGES.reset, text: 'Ask for a link to set a new password' }],
    },
    422,
  )

/** Does what a form asks. A refusal of the sign-in library becomes a page. */
export async function answered(
  call: PageCall,
  refused: (why: string) => Answer | Promise<Answer>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  if (mayBeCrossSite('POST', call.headers, call.services.trustedOrigins))
    return pageAnswer({ title: 'This form came from another site', lines: ['Open the link of the mail again.'] }, 403)
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return refused(error.message.replace(/\.$/, ''))
    throw error
  }
}

export const withBody = (call: PageCall, body: object): PageCall => ({ ...call, body })
