// Generated from schema/ by `npm run gen`.

/** Roles, each with the permissions of those before it. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const

/** The roles that a person can be given. */
export const GIVEN_ROLES = ['admin', 'member', 'viewer'] as const

/** The lowest role of each permission, and what it allows. */
export const ACCESS = {
  'monitors.read': { role: 'viewer', what: 'view monitors' },
  'monitors.write': { role: 'member', what: 'create, change or run monitors' },
  'changes.mark': { role: 'viewer', what: 'mark changes as seen' },
  'runs.read': { role: 'viewer', what: 'view runs' },
  'deliveries.read': { role: 'viewer', what: 'view deliveries' },
  'deliveries.replay': { role: 'member', what: 'replay deliveries' },
  'secrets.read': { role: 'member', what: 'read signing secrets' },
  'secrets.rotate': { role: 'member', what: 'rotate signing secrets' },
  'keys.read': { role: 'admin', what: 'view API keys' },
  'keys.manage': { role: 'admin', what: 'create, rotate or delete API keys' },
  'settings.read': { role: 'viewer', what: 'view team settings' },
  'settings.manage': { role: 'admin', what: 'change team settings' },
  'team.read': { role: 'viewer', what: 'view the team' },
  'team.rename': { role: 'admin', what: 'rename the team' },
  'teams.choose': { role: 'viewer', what: 'list, switch or join teams' },
  'members.read': { role: 'admin', what: 'view members and invitations' },
  'members.invite': { role: 'admin', what: 'invite people or change invitations' },
  'members.manage': { role: 'admin', what: 'change roles or remove members' },
  'members.leave': { role: 'viewer', what: 'leave the team' },
  'audit.read': { role: 'admin', what: 'read the audit log' },
  'audit.export': { role: 'admin', what: 'export the audit log' },
  'billing.manage': { role: 'owner', what: 'manage billing' },
  'account.sessions': { role: 'viewer', what: 'view or end your own sessions' },
  'account.delete': { role: 'viewer', what: 'delete your own account' },
  'usage.read': { role: 'viewer', what: 'view usage' },
  'templates.read': { role: 'viewer', what: 'view templates' },
  'status.publish': { role: 'admin', what: 'publish status pages' },
} as const

/** How many keys work, characters of a name, hours of overlap. */
export const KEY_LIMITS = {
  most: 1000,
  name: 100,
  graceHours: 168,
} as const

/** How many status pages a team has, monitors of one, and characters of what is typed. */
export const STATUS_PAGE_LIMITS = {
  most: 20,
  monitors: 200,
  title: 100,
  name: 200,
  slug: 64,
} as const
