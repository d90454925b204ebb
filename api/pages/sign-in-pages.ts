import Type from 'typebox'
import { PAGES } from '../../schema/account/pages.ts'
import { EMAIL_ADDRESS } from '../../schema/rules/monitor-rules.ts'
import { Closed, Text } from '../../schema/shape/shape.ts'
import type { SessionPrincipal } from '../auth/principals.ts'
import { relaySignIn, type SignInCall } from '../auth/relay-sign-in.ts'
import { redirect } from '../http/redirect.ts'
import { type Answer, publicRoute, type Route } from '../http/route.ts'
import { answered, ATTEMPTS, LOOKS, withBody } from './account-pages.ts'
import { MAX_PATH_LENGTH, ownPath } from './own-path.ts'
import { cookiesOf, homeOf, signInBy, signUpBy } from './page-account.ts'
import { type Form, pageAnswer, withCookies } from './page-answer.ts'
import { pageSession } from './page-session.ts'

const tag = 'Sign-in'
const Filled = {
  next: Type.Optional(Text(0, MAX_PATH_LENGTH)),
  email: Type.Optional(Text(0, 254)),
  password: Type.Optional(Text(0, 300)),
}
const SignIn = Closed(Filled)
const SignUp = Closed({ ...Filled, name: Type.Optional(Text(0, 300)) })
const answers = {
  200: { description: 'A page.', only: 'text/html' },
  302: { description: 'Signed in. A redirect to `next`.', only: 'text/plain' },
} as const
/** A path of ours, where the browser goes with its session. Anything else counts as none. */
const query = Type.Object({ next: Type.Optional(Type.String()) })
const shown = { method: 'GET', tag, policy: 'public', perAddress: LOOKS, answers, query } as const
const posted = { method: 'POST', tag, policy: 'public', perAddress: ATTEMPTS, answers, isForm: true } as const

const SIGN_OUT: Form = { action: PAGES.signOut, fields: [], button: 'Sign out' }

/** Pages on which a person signs in, signs up and signs out. */
export const signInPages: readonly Route[] = [
  publicRoute({
    ...shown,
    path: PAGES.signIn,
    summary: 'Page: sign in',
    async handle(call) {
      const principal = await pageSession(call)
      return principal ? alreadyIn(call, principal) : signInPage(call, call.query.next)
    },
  }),
  publicRoute({
    ...posted,
    path: PAGES.signIn,
    summary: 'Form: sign in',
    body: SignIn,
    handle(call) {
      const { email = '', password = '', next } = call.body
      return answered(
        call,
        (why) => signInPage(call, next, { fault: why, email }),
        async () => goOn(call, next, await signInBy(call, { email, password }, ATTEMPTS)),
      )
    },
  }),
  publicRoute({
    ...shown,
    path: PAGES.signUp,
    summary: 'Page: create an account',
    handle: async (call) => (call.services.signUp === 'open' ? signUpPage(call.query.next) : closed()),
  }),
  publicRoute({
    ...posted,
    path: PAGES.signUp,
    summary: 'Form: create an account',
    body: SignUp,
    async handle(call) {
      if (call.services.signUp !== 'open') return closed()
      const { email = '', password = '', name = '', next } = call.body
      if (EMAIL_ADDRESS.check(email).length > 0) return signUpPage(next, `The address ${EMAIL_ADDRESS.message}`)
      return answered(
        call,
        (why) => signUpPage(next, why),
        () => signUp(call, next, { name, email, password }),
      )
    },
  }),
  publicRoute({
    ...shown,
    path: PAGES.signOut,
    summary: 'Page: sign out',
    query: Type.Object({}),
    handle: async () => pageAnswer({ title: 'Sign out', lines: [], forms: [SIGN_OUT] }),
  }),
  publicRoute({
    ...posted,
    path: PAGES.signOut,
    summary: 'Form: sign out',
    body: Closed({}),
    // A form without fields has none.
    bodyOptional: true,
    handle: (call) =>
      answered(
        call,
        () => signedOut([]),
        async () => {
          const done = await relaySignIn(withBody(call, {}), { method: 'POST', path: '/auth/sign-out', always: {} })
          return signedOut(cookiesOf(done))
        },
      ),
  }),
]

async function signUp(call: SignInCall, next: string | undefined, account: Parameters<typeof signUpBy>[1]) {
  const done = await signUpBy(call, account)
  if ((done.body as { readonly token: string | null }).token !== null) return goOn(call, next, done)
  return pageAnswer({
    title: 'Look into your mailbox',
    lines: ['A mail with a link is on its way to you. The link confirms your address. Then you can sign in.'],
    links: [{ href: withNext(PAGES.signIn, next), text: 'Sign in' }],
  })
}

/** Sends the browser on with its session. A form may not lead to another origin, so the page links to one. */
function goOn({ services: { baseUrl, dashboardUrl } }: SignInCall, next: string | undefined, done: Answer): Answer {
  const path = ownPath(next)
  if (path !== null) return redirect(path, cookiesOf(done))
  if (dashboardUrl === null) return redirect(PAGES.signedIn, cookiesOf(done))
  if (dashboardUrl === baseUrl) return redirect('/', cookiesOf(done))
  const links = [{ href: dashboardUrl, text: 'Go on' }]
  return withCookies(pageAnswer({ title: 'You are signed in', lines: [], links }), cookiesOf(done))
}

const withNext = (page: string, next: string | undefined): string => {
  const path = ownPath(next)
  return path === null ? page : `${page}?next=${encodeURIComponent(path)}`
}

const EMAIL = { name: 'email', label: 'Email address', type: 'email', autocomplete: 'email' } as const

/** What was refused. A person who mistyped a password keeps the address. */
interface Refused {
  readonly fault: string
  readonly email: string
}

function signInPage(call: SignInCall, next: string | undefined, refused?: Refused): Answer {
  const { signUp: mode, signIn: library } = call.services
  const email = refused ? { ...EMAIL, value: refused.email } : EMAIL
  const password = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' } as const
  return pageAnswer(
    {
      title: 'Sign in',
      lines: [],
      fault: refused && `${refused.fault}.`,
      forms: [formOf(PAGES.signIn, next, { fields: [email, password], button: 'Sign in' })],
      links: [
        ...(library.handleOidc ? [{ href: withNext(PAGES.oidc, next), text: 'Sign in with the provider' }] : []),
        { href: PAGES.reset, text: 'I forgot my password' },
        ...(mode === 'open' ? [{ href: withNext(PAGES.signUp, next), text: 'Create an account' }] : []),
      ],
    },
    refused === undefined ? 200 : 422,
  )
}

function signUpPage(next: string | undefined, fault?: string): Answer {
  const name = { name: 'name', label: 'Your name', type: 'text', autocomplete: 'name' } as const
  const password = {
    name: 'password',
    label: 'Password, at least 8 characters',
    type: 'password',
    autocomplete: 'new-password',
    minLength: 8,
  } as const
  return pageAnswer(
    {
      title: 'Create an account',
      lines: [],
      fault: fault && `${fault}.`,
      forms: [formOf(PAGES.signUp, next, { fields: [name, EMAIL, password], button: 'Create the account' })],
      links: [{ href: withNext(PAGES.signIn, next), text: 'I have an account' }],
    },
    fault === undefined ? 200 : 422,
  )
}

function formOf(action: string, next: string | undefined, form: Pick<Form, 'fields' | 'button'>): Form {
  const path = ownPath(next)
  return { action, ...(path !== null && { hidden: { next: path } }), ...form }
}

const closed = (): Answer =>
  pageAnswer(
    {
      title: 'Accounts are made by invitation',
      lines: ['Open the link of your invitation, or ask whoever runs this installation.'],
      links: [{ href: PAGES.signIn, text: 'I have an account' }],
    },
    403,
  )

function alreadyIn(call: SignInCall, { email }: SessionPrincipal): Answer {
  const { next } = call.query as { readonly next?: string }
  const href = ownPath(next) ?? homeOf(call)
  return pageAnswer({
    title: 'You are signed in',
    lines: [`This browser is signed in as ${email}.`],
    links: [{ href, text: 'Go on' }],
    forms: [SIGN_OUT],
  })
}

const signedOut = (cookies: readonly string[]): Answer =>
  withCookies(
    pageAnswer({ title: 'You are signed out', lines: [], links: [{ href: PAGES.signIn, text: 'Sign in' }] }),
    cookies,
  )
