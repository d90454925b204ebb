import type { Scope } from '../../schema/account/api-key.ts'
import type { Role } from '../../schema/account/role.ts'

/** The requirements that a route has for its caller. */
export interface Policy {
  /** The lowest role of a signed-in user. */
  readonly role: Role
  /** The scope that an API key needs; null: only a signed-in user is allowed. */
  readonly scope: Scope | null
  /** The allowed action. It completes "does not allow you to …". */
  readonly permission: string
}

/**
 * The one table of permissions. Every route names a line of it; a public route uses `public`. An API key acts as an
 * admin within its scope, and can never manage keys. Listing keys changes nothing, so a key may do it.
 */
export const POLICIES = {
  'monitors.read': { role: 'viewer', scope: 'read', permission: 'view monitors' },
  'monitors.write': { role: 'member', scope: 'write', permission: 'create, change or run monitors' },
  'runs.read': { role: 'viewer', scope: 'read', permission: 'view runs' },
  'deliveries.read': { role: 'viewer', scope: 'read', permission: 'view deliveries' },
  'deliveries.replay': { role: 'member', scope: 'write', permission: 'replay deliveries' },
  'secrets.read': { role: 'member', scope: 'write', permission: 'read signing secrets' },
  'secrets.rotate': { role: 'member', scope: 'write', permission: 'rotate signing secrets' },
  'keys.read': { role: 'admin', scope: 'read', permission: 'view API keys' },
  'keys.manage': { role: 'admin', scope: null, permission: 'create, rotate or delete API keys' },
  'settings.read': { role: 'viewer', scope: 'read', permission: 'view team settings' },
  'settings.manage': { role: 'admin', scope: null, permission: 'change team settings' },
  'usage.read': { role: 'viewer', scope: 'read', permission: 'view usage' },
  'templates.read': { role: 'viewer', scope: 'read', permission: 'view templates' },
} as const satisfies Readonly<Record<string, Policy>>
export type PolicyName = keyof typeof POLICIES
