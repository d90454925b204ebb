import Type, { type Static } from 'typebox'
import { pageQuery, Pagination } from '../page-of.ts'
import { Choice, Closed, Instant, JsonObject, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'

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
  // Beyond the contract.
  'monitor.muted': 'monitor',
  'monitor.unmuted': 'monitor',
  'serp_monitor.muted': 'serp_monitor',
  'serp_monitor.unmuted': 'serp_monitor',
  'delivery.tested': 'delivery',
  'delivery.released': 'delivery',
  'delivery.dropped': 'delivery',
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
  // Beyond the contract: what the people who run the installation do by commands, and the end of an account.
  'billing.credits_granted': 'subscription',
  'account.email_changed': 'account',
  'account.password_reset_issued': 'account',
  'account.deleted': 'account',
  'status_page.created': 'status_page',
  'status_page.updated': 'status_page',
  'status_page.published': 'status_page',
  'status_page.unpublished': 'status_page',
  'status_page.deleted': 'status_page',
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

const ACTIONS = Object.keys(AUDIT_ACTIONS) as readonly AuditAction[]
const TARGETS = [...new Set(Object.values(AUDIT_ACTIONS))] as const
const ACTORS = ['user', 'api_key', 'system'] as const

/** A line of the audit log. */
export const AuditEvent = Closed({
  id: Uuid(),
  action: Choice(ACTIONS),
  target_type: Choice(TARGETS),
  target_id: Nullable(Text(1, 200), { description: 'Null: the action has no single target.' }),
  target_label: Nullable(Text(0, 254), { description: "A monitor's name, the prefix of a key, a member's address." }),
  actor: Closed({
    type: Choice(ACTORS),
    id: Nullable(Uuid(), { description: 'Of the user or the key.' }),
    label: Text(1, 254, "The user's address, the name of the key, or System."),
  }),
  metadata: JsonObject('A few facts, such as names of changed fields. Secrets are never recorded.'),
  ip_address: Nullable(Text(0, 100)),
  created_at: Instant(),
})
export type AuditEvent = Static<typeof AuditEvent>

const filter = {
  action: Type.Optional(Choice(ACTIONS)),
  actor_user_id: Type.Optional(Uuid('What this user did while signed in.')),
  actor_key_id: Type.Optional(Uuid('Beyond the contract: what this API key did.')),
  target_type: Type.Optional(Choice(TARGETS)),
  target_id: Type.Optional(Text(1, 200, 'Beyond the contract: what was done to this.')),
  from: Type.Optional(Instant('The first instant.')),
  to: Type.Optional(Instant('The last instant.')),
}

/** Query of `GET /v1/team/audit/export`. */
export const AuditFilter = Closed(filter)
export type AuditFilter = Static<typeof AuditFilter>

/** Query of `GET /v1/team/audit`. */
export const AuditQuery = Closed({ ...pageQuery, limit: Type.Optional(Whole(1, 100, { default: 50 })), ...filter })

/** Response of `GET /v1/team/audit`. */
export const AuditPage = Closed({
  data: Type.Array(AuditEvent),
  pagination: Pagination,
  actions: Type.Array(Choice(ACTIONS), { description: 'Every action that is recorded for the team.' }),
})

/** The most events of an export. */
export const MAX_EXPORTED = 50_000
