import type { Scope } from '../../schema/account/api-key.ts'
import { atLeast, type Role } from '../../schema/account/role.ts'
import { type ApiError, apiError } from '../http/api-error.ts'
import type { Principal } from './principals.ts'

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
  'changes.mark': { role: 'viewer', scope: 'write', permission: 'mark changes as seen' },
  'runs.read': { role: 'viewer', scope: 'read', permission: 'view runs' },
  'deliveries.read': { role: 'viewer', scope: 'read', permission: 'view deliveries' },
  'deliveries.replay': { role: 'member', scope: 'write', permission: 'replay deliveries' },
  'secrets.read': { role: 'member', scope: 'write', permission: 'read signing secrets' },
  'secrets.rotate': { role: 'member', scope: 'write', permission: 'rotate signing secrets' },
  'keys.read': { role: 'admin', scope: 'read', permission: 'view API keys' },
  'keys.manage': { role: 'admin', scope: null, permission: 'create, rotate or delete API keys' },
  'settings.read': { role: 'viewer', scope: 'read', permission: 'view team settings' },
  'settings.manage': { role: 'admin', scope: null, permission: 'change team settings' },
  'team.read': { role: 'viewer', scope: 'read', permission: 'view the team' },
  'team.rename': { role: 'admin', scope: null, permission: 'rename the team' },
  'teams.choose': { role: 'viewer', scope: null, permission: 'list, switch or join teams' },
  'members.read': { role: 'admin', scope: 'read', permission: 'view members and invitations' },
  'members.invite': { role: 'admin', scope: null, permission: 'invite people or change invitations' },
  'members.manage': { role: 'admin', scope: null, permission: 'change roles or remove members' },
  'members.leave': { role: 'viewer', scope: null, permission: 'leave the team' },
  'audit.read': { role: 'admin', scope: 'read', permission: 'read the audit log' },
  'audit.export': { role: 'admin', scope: null, permission: 'export the audit log' },
  'billing.manage': { role: 'owner', scope: null, permission: 'manage billing' },
  'account.sessions': { role: 'viewer', scope: null, permission: 'view or end your own sessions' },
  'account.delete': { role: 'viewer', scope: null, permission: 'delete your own account' },
  'usage.read': { role: 'viewer', scope: 'read', permission: 'view usage' },
  'templates.read': { role: 'viewer', scope: 'read', permission: 'view templates' },
  'status.publish': { role: 'admin', scope: null, permission: 'publish status pages' },
} as const satisfies Readonly<Record<string, Policy>>
export type PolicyName = keyof typeof POLICIES

/** Returns the 403 of a permission. Its message names what was refused, the permission, and the person to ask. */
export const forbidden = (what: string, name: PolicyName): ApiError =>
  apiError('FORBIDDEN', `${what} (${name}). Ask ${POLICIES[name].role === 'owner' ? '' : 'a team admin or '}the owner.`)

/** Returns whether the caller has the permission. The scope write of a key includes read. */
export function permits(name: PolicyName, principal: Principal): boolean {
  const { role, scope }: Policy = POLICIES[name]
  if (principal.kind === 'session') return atLeast(principal.role, role)
  return scope !== null && (principal.scopes.includes(scope) || principal.scopes.includes('write'))
}
