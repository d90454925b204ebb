/**
 * What the address of a status page may not end with: the first parts of our own addresses, so that no status page
 * looks like one of them. A test compares the list with the routes.
 */
export const RESERVED_SLUGS: readonly string[] = [
  'account',
  'api',
  'assets',
  'audit',
  'auth',
  'billing',
  'changes',
  'deliveries',
  'docs',
  'favicon',
  'feed',
  'healthz',
  'invitation',
  'keys',
  'metrics',
  'monitors',
  'new',
  'new-password',
  'readyz',
  'serp-monitors',
  'sign-in',
  'sign-out',
  'sign-up',
  'status',
  'status-pages',
  'team',
  'usage',
  'verify',
]
