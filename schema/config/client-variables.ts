/**
 * Variables of the commands over REST. Where a person has set them for those, the other commands ignore them, and they
 * are not misspelt settings.
 */
export const CLIENT_VARIABLES = {
  TIDEMARK_URL: 'The address of the server. It goes with TIDEMARK_API_KEY.',
  TIDEMARK_API_KEY: 'An API key for that server.',
  TIDEMARK_WEBHOOK_SECRET: 'A signing secret for `tidemark verify-webhook`, or several with commas.',
  TIDEMARK_PROFILE: 'The login that is used: the name that `tidemark login --profile` gave it.',
} as const
