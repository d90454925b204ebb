import { relaySignIn, signingIn, type SignInCall } from '../auth/relay-sign-in.ts'
import type { Answer } from '../http/route.ts'
import { signUpOf } from '../routes/accounts/sign-in.ts'

interface Account {
  readonly email: string
  readonly password: string
}

interface NewAccount extends Account {
  readonly name: string
  /** The token of an invitation. */
  readonly invitation?: string
}

/** Signs in as a form asks. `perAccount`: attempts a minute for the account. */
export async function signInBy(call: SignInCall, body: Account, perAccount: number): Promise<Answer> {
  const signIn = { ...call, body }
  const limits = { perAccount, ...(await signingIn(signIn)) }
  return relaySignIn(signIn, { method: 'POST', path: '/auth/sign-in/email', always: {}, ...limits })
}

/** Creates an account as a form asks. A person without a name has the address as name. */
export async function signUpBy(call: SignInCall, { name, ...account }: NewAccount): Promise<Answer> {
  const signUp = { ...call, body: { name: name.trim() || account.email, ...account } }
  const more = await signUpOf(signUp)
  return relaySignIn(signUp, { method: 'POST', path: '/auth/sign-up/email', always: {}, ...more })
}

/** Returns the cookies of an answer. */
export const cookiesOf = ({ headers }: Answer): readonly string[] => [headers?.['set-cookie'] ?? []].flat()

/** Returns where a person goes on: to the dashboard, or to what stands in its place. */
export const homeOf = ({ services: { baseUrl, dashboardUrl } }: SignInCall): string =>
  dashboardUrl === null || dashboardUrl === baseUrl ? '/' : dashboardUrl
