import type { SessionPrincipal } from '../auth/principals.ts'
import type { SignInCall } from '../auth/relay-sign-in.ts'

/** Returns who is signed in. A page is for browsers: only their cookie counts. */
export async function pageSession({ services, headers }: SignInCall): Promise<SessionPrincipal | null> {
  const principal = await services.principals.find({ cookie: headers.cookie })
  return principal?.kind === 'session' ? principal : null
}
