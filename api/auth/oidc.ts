import type { BetterAuthOptions } from 'better-auth'

/** The OpenID Connect provider of this installation. It comes from the settings, and is trusted like its operator. */
export interface OidcProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** The provider's id in the library's tables and addresses. */
export const OIDC = 'oidc'

/**
 * Returns the plugin for the provider. It signs in by the code flow with PKCE, a state that is bound to the browser,
 * and a nonce. The signature, issuer, audience, expiry and nonce of the id token are verified.
 */
export async function oidcPlugin({ issuer, clientId, clientSecret }: OidcProvider) {
  const { genericOAuth } = await import('better-auth/plugins/generic-oauth')
  return genericOAuth({
    config: [
      {
        providerId: OIDC,
        discoveryUrl: `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`,
        clientId,
        clientSecret,
        scopes: ['openid', 'email', 'profile'],
        requireIdTokenVerification: true,
      },
    ],
  })
}

type Gate = NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']>

/**
 * Refuses an address that the provider did not verify, because it may be somebody else's. Where accounts are made by
 * invitation, it also refuses a new person who did not begin with the token of an open invitation for the address.
 * `claim` hands an existing account with the address over; false: it may be somebody else's.
 */
export function oidcGate(
  isInvited: ((token: string, email: string) => Promise<boolean>) | null,
  claim: (userId: string) => Promise<boolean>,
): Gate {
  return async ({ user, source }) => {
    if (source.method !== 'oauth') return undefined
    if (user.emailVerified !== true) return { error: 'email_not_verified' }
    if (source.action === 'link-account')
      return (await claim(String(user.id))) ? undefined : { error: 'account_not_linked' }
    if (isInvited === null || source.action !== 'create-user') return undefined
    const { getOAuthState } = await import('better-auth/api')
    const state = (await getOAuthState()) as { readonly invitation?: unknown } | null
    const isGood = typeof state?.invitation === 'string' && (await isInvited(state.invitation, String(user.email)))
    return isGood ? undefined : { error: 'invitation_needed' }
  }
}

/** What a person reads when the sign-in with the provider failed, by the library's code. */
export const OIDC_FAULTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    access_denied: 'The sign-in was cancelled.',
    account_not_linked:
      'There is an account with your address that was never confirmed, and it is in use. If it is yours, sign in ' +
      'with its password; a link for a new password confirms it. Otherwise ask whoever runs this installation.',
    email_not_found: 'The provider did not tell your address.',
    email_not_verified: 'The provider has not verified your address. Have it verified there.',
    invitation_needed: 'Accounts are made by invitation here. Open the link of your invitation first.',
    please_restart_the_process: 'The sign-in took too long, or began in another browser.',
    state_mismatch: 'The sign-in took too long, or began in another browser.',
    state_not_found: 'The sign-in took too long, or began in another browser.',
  }),
)
