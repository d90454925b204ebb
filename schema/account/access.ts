/** Who can call: a signed-in user by role, and an API key by scope. */
export const CALLERS = ['viewer', 'member', 'admin', 'owner', 'read key', 'write key'] as const
export type Caller = (typeof CALLERS)[number]

const EVERYBODY = CALLERS
const WRITERS = ['member', 'admin', 'owner', 'write key'] as const
const MANAGERS = ['admin', 'owner'] as const
const MANAGERS_AND_KEYS = ['admin', 'owner', 'read key', 'write key'] as const
const SIGNED_IN = ['viewer', 'member', 'admin', 'owner'] as const

/**
 * Who has each permission. This table is reviewed by people: the policies of the routes (`api/auth/policies.ts`) are
 * checked against it, and `docs/access.md` shows it for each operation.
 */
export const ACCESS = {
  'monitors.read': EVERYBODY,
  'monitors.write': WRITERS,
  'changes.mark': ['viewer', 'member', 'admin', 'owner', 'write key'],
  'runs.read': EVERYBODY,
  'deliveries.read': EVERYBODY,
  'deliveries.replay': WRITERS,
  'secrets.read': WRITERS,
  'secrets.rotate': WRITERS,
  'keys.read': MANAGERS_AND_KEYS,
  'keys.manage': MANAGERS,
  'settings.read': EVERYBODY,
  'settings.manage': MANAGERS,
  'team.read': EVERYBODY,
  'team.rename': MANAGERS,
  'teams.choose': SIGNED_IN,
  'members.read': MANAGERS_AND_KEYS,
  'members.invite': MANAGERS,
  'members.manage': MANAGERS,
  'members.leave': SIGNED_IN,
  'audit.read': MANAGERS_AND_KEYS,
  'audit.export': MANAGERS,
  'billing.manage': ['owner'],
  'account.sessions': SIGNED_IN,
  'account.delete': SIGNED_IN,
  'usage.read': EVERYBODY,
  'templates.read': EVERYBODY,
  'status.publish': MANAGERS,
} as const satisfies Readonly<Record<string, readonly Caller[]>>
