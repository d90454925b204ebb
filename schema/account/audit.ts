/** Every action that the audit log records, with the type of its target. Every change of a setting is recorded. */
export const AUDIT_ACTIONS = {
  'monitor.created': 'monitor',
  'monitor.updated': 'monitor',
  'monitor.deleted': 'monitor',
  'monitor.paused': 'monitor',
  'monitor.resumed': 'monitor',
  'monitor.run_triggered': 'monitor',
  'monitor.secret_rotated': 'monitor',
  'monitor.bulk_action': 'monitor',
  'serp_monitor.created': 'serp_monitor',
  'serp_monitor.updated': 'serp_monitor',
  'serp_monitor.deleted': 'serp_monitor',
  'serp_monitor.paused': 'serp_monitor',
  'serp_monitor.resumed': 'serp_monitor',
  'serp_monitor.run_triggered': 'serp_monitor',
  'serp_monitor.secret_rotated': 'serp_monitor',
  'delivery.replayed': 'delivery',
  'api_key.created': 'api_key',
  'api_key.rotated': 'api_key',
  'api_key.deleted': 'api_key',
  'settings.proxy_toggled': 'settings',
  'settings.error_notifications_toggled': 'settings',
  'team.renamed': 'team',
  'team.member_invited': 'invitation',
  'team.invitation_resent': 'invitation',
  'team.invitation_revoked': 'invitation',
  'team.member_joined': 'member',
  'team.member_role_changed': 'member',
  'team.member_removed': 'member',
  'team.member_left': 'member',
  'billing.checkout_started': 'subscription',
  'billing.plan_changed': 'subscription',
  'billing.cancelled': 'subscription',
  'billing.resumed': 'subscription',
  'billing.credits_purchased': 'subscription',
  // Beyond the contract: what whoever runs the installation does by commands.
  'billing.credits_granted': 'subscription',
  'account.email_changed': 'account',
  'account.password_reset_issued': 'account',
} as const
export type AuditAction = keyof typeof AUDIT_ACTIONS

/** The actor of an action. `label` is the e-mail address, the key's name, or System. */
export interface Actor {
  readonly type: 'user' | 'api_key' | 'system'
  readonly id: string | null
  readonly label: string
  readonly ip: string | null
}

/** The actor of what nobody signed in to do: commands of the installation, and the operator. */
export const SYSTEM: Actor = { type: 'system', id: null, label: 'System', ip: null }

/** The actor of a request, and the team that the request is for. */
export interface Requester {
  readonly teamId: string
  readonly actor: Actor
}
