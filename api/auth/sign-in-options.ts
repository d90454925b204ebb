import type { BetterAuthOptions } from 'better-auth'
import { PAGES, RESET_HOURS, VERIFY_HOURS } from '../../schema/account/pages.ts'
import { hashedIdentifier } from '../../store/accounts/credentials/session-token.ts'
import { SESSION_DAYS } from '../../store/accounts/credentials/sessions.ts'
import type { AccountMails } from './account-mails.ts'

/**
 * The header in which the library gets the client's address. Tidemark sets it on the request that it builds, whatever
 * the client sent.
 */
export const CLIENT_ADDRESS_HEADER = 'x-tidemark-client-address'

/** The header by which the library learns that a sign-up has the token of an invitation. Tidemark sets it itself. */
export const INVITED_HEADER = 'x-tidemark-invited'

/** The header that carries the password with which an address is confirmed, in base64url. Tidemark sets it itself. */
export const PASSWORD_HEADER = 'x-tidemark-password'

/** The settings that differ between installations. */
export interface SignInSettings {
  /** The key of `ensureSessionKey`. */
  readonly sessionKey: string
  readonly baseUrl: string
  /** Origins of Tidemark's own pages. */
  readonly trustedOrigins: readonly string[]
  /**
   * Null: this installation sends no mail. Addresses are not verified then, and the answer to a sign-up says that the
   * address has an account.
   */
  readonly mails: AccountMails | null
}

interface AboutUser {
  readonly user: { readonly id: string; readonly email: string }
}

/** `__Host-` needs https; without https the cookie has no such prefix. */
const cookiePrefix = (baseUrl: string) => (isSecure(baseUrl) ? '__Host-tidemark' : 'tidemark')
const isSecure = (baseUrl: string) => baseUrl.startsWith('https:')

/** The name of the cookie that marks a known device. */
export const deviceCookieName = (baseUrl: string): string => `${cookiePrefix(baseUrl)}.device`

/** The name of the cookie that carries a session. */
export const sessionCookieName = (baseUrl: string): string => `${cookiePrefix(baseUrl)}.session_token`

/**
 * The sign-in library's settings but for its connection and hooks. All that it would read from the environment, guess
 * from the request or send anywhere is set here: its telemetry is off, its limits are those of
 * `rate-limits.ts`, its tables are those of 000002-accounts.sql.
 */
export async function signInOptions(settings: SignInSettings) {
  const { bearer } = await import('better-auth/plugins/bearer')
  const { mails } = settings
  return {
    appName: 'Tidemark',
    secrets: [{ version: 1, value: settings.sessionKey }],
    baseURL: settings.baseUrl,
    basePath: '/auth',
    trustedOrigins: [...settings.trustedOrigins],
    plugins: [bearer({ requireSignature: true })],
    // Verification and password reset both need mail, so they come together with it. The route of the sign-up refuses
    // whom TIDEMARK_SIGNUP does not let in.
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 8,
      // With it, the library gives the same answer to a sign-up with an address that has an account.
      requireEmailVerification: mails !== null,
      resetPasswordTokenExpiresIn: RESET_HOURS * 3600,
      ...(mails && {
        onExistingUserSignUp: async ({ user }: AboutUser) => mails.notifyOfSignUp(user),
        sendResetPassword: ({ user, token }: AboutUser & { readonly token: string }) =>
          mails.resetPassword(user, token),
      }),
      revokeSessionsOnPasswordReset: true,
    },
    ...(mails && {
      emailVerification: {
        sendOnSignUp: true,
        sendOnSignIn: true,
        expiresIn: VERIFY_HOURS * 3600,
        sendVerificationEmail: ({ user, token }: AboutUser & { readonly token: string }) =>
          mails.confirmAddress(user, token),
      },
    }),
    rateLimit: { enabled: false },
    telemetry: { enabled: false, debug: false },
    experimental: { instrumentation: { enabled: false } },
    // Where a sign-in with a provider ends that cannot be told from one of another browser.
    onAPIError: { throw: true, errorURL: `${settings.baseUrl}${PAGES.oidcFailed}` },
    advanced: {
      database: { generateId: 'uuid', validateSchema: false },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // The prefix is part of the cookie name set here; the library would put __Secure- before it.
      useSecureCookies: false,
      cookiePrefix: cookiePrefix(settings.baseUrl),
      defaultCookieAttributes: { secure: isSecure(settings.baseUrl), httpOnly: true, sameSite: 'lax', path: '/' },
      disableCSRFCheck: false,
      disableOriginCheck: false,
    },
    ...tables,
  } satisfies BetterAuthOptions
}

const stamps = { createdAt: 'created_at', updatedAt: 'updated_at' }

/** The library's tables and columns under Tidemark's names. */
const tables = {
  user: {
    modelName: 'users',
    fields: { emailVerified: 'email_verified', ...stamps },
  },
  session: {
    modelName: 'sessions',
    expiresIn: SESSION_DAYS * 86_400,
    disableSessionRefresh: true,
    fields: { userId: 'user_id', expiresAt: 'expires_at', ipAddress: 'ip_address', userAgent: 'user_agent', ...stamps },
    additionalFields: { activeTeamId: { type: 'string', fieldName: 'active_team_id', required: false, input: false } },
  },
  account: {
    modelName: 'accounts',
    updateAccountOnSignIn: false,
    // `oidcGate` decides on an account whose address was never confirmed.
    accountLinking: { requireLocalEmailVerified: false },
    fields: {
      userId: 'user_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...stamps,
    },
  },
  verification: {
    modelName: 'verifications',
    // A token is stored as its hash.
    storeIdentifier: { hash: (text: string) => Promise.resolve(hashedIdentifier(text)) },
    fields: { expiresAt: 'expires_at', ...stamps },
  },
} as const satisfies BetterAuthOptions
