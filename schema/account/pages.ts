/** The pages of accounts. They work without scripts. */
export const PAGES = {
  signIn: '/sign-in',
  signUp: '/sign-up',
  signOut: '/sign-out',
  verify: '/verify',
  reset: '/new-password',
  invitation: '/invitation',
  oidc: '/auth/oidc',
  oidcFailed: '/auth/oidc/failed',
  signedIn: '/auth/signed-in',
} as const

/** How long the link of a mail works. It outlives the last attempt to send the mail. */
export const VERIFY_HOURS = 48
export const RESET_HOURS = 5
