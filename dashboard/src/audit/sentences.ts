import type { AuditPage } from '../api/types.ts'

export type AuditEvent = AuditPage['data'][number]
export type Action = AuditEvent['action']
export type Target = AuditEvent['target_type']

/** What somebody did, before and behind the name of what they did it to. */
type Words = readonly [before: string, behind?: string]

const ofMonitors = (noun: string) =>
  ({
    created: [`made the ${noun}`],
    updated: [`edited the ${noun}`],
    deleted: [`deleted the ${noun}`],
    paused: [`paused the ${noun}`],
    resumed: [`resumed the ${noun}`],
    run_triggered: [`ran the ${noun}`, 'by hand'],
    secret_rotated: ['replaced the signing secret of', ''],
    muted: [`muted the ${noun}`],
    unmuted: [`ended the mute of the ${noun}`],
  }) as const satisfies Readonly<Record<string, Words>>

const PAGE = ofMonitors('monitor')
const SEARCH = ofMonitors('search')

/** Each action as the middle of a sentence. */
export const SENTENCES: Readonly<Record<Action, Words>> = {
  'monitor.created': PAGE.created,
  'monitor.updated': PAGE.updated,
  'monitor.deleted': PAGE.deleted,
  'monitor.paused': PAGE.paused,
  'monitor.resumed': PAGE.resumed,
  'monitor.run_triggered': PAGE.run_triggered,
  'monitor.secret_rotated': PAGE.secret_rotated,
  'monitor.muted': PAGE.muted,
  'monitor.unmuted': PAGE.unmuted,
  'monitor.bulk_action': ['acted on several monitors at once'],
  'serp_monitor.created': SEARCH.created,
  'serp_monitor.updated': SEARCH.updated,
  'serp_monitor.deleted': SEARCH.deleted,
  'serp_monitor.paused': SEARCH.paused,
  'serp_monitor.resumed': SEARCH.resumed,
  'serp_monitor.run_triggered': SEARCH.run_triggered,
  'serp_monitor.secret_rotated': SEARCH.secret_rotated,
  'serp_monitor.muted': SEARCH.muted,
  'serp_monitor.unmuted': SEARCH.unmuted,
  'delivery.replayed': ['sent a delivery again:'],
  'delivery.tested': ['sent a test to'],
  'delivery.released': ['sent a delivery that was held back:'],
  'delivery.dropped': ['dropped a delivery that was held back:'],
  'api_key.created': ['made the API key'],
  'api_key.rotated': ['replaced the API key'],
  'api_key.deleted': ['revoked the API key'],
  'settings.proxy_toggled': ['switched the proxy'],
  'settings.error_notifications_toggled': ['switched the mail about failures'],
  'team.renamed': ['renamed the team'],
  'team.member_invited': ['invited'],
  'team.invitation_resent': ['sent the invitation of', 'again'],
  'team.invitation_revoked': ['withdrew the invitation of'],
  'team.member_joined': ['joined the team:'],
  'team.member_role_changed': ['changed the role of'],
  'team.member_removed': ['removed', 'from the team'],
  'team.member_left': ['left the team:'],
  'billing.checkout_started': ['began to buy'],
  'billing.plan_changed': ['changed the plan'],
  'billing.cancelled': ['cancelled the subscription'],
  'billing.resumed': ['resumed the subscription'],
  'billing.credits_purchased': ['bought run credits'],
  'billing.credits_granted': ['granted run credits'],
  'account.email_changed': ['changed the address of an account to'],
  'account.password_reset_issued': ['made a link for a new password of'],
  'account.deleted': ['deleted the account'],
  'status_page.created': ['made the status page'],
  'status_page.updated': ['edited the status page'],
  'status_page.published': ['published the status page'],
  'status_page.unpublished': ['took back the status page'],
  'status_page.deleted': ['deleted the status page'],
}

/** Types of what something is done to. */
export const TARGETS: Readonly<Record<Target, string>> = {
  monitor: 'Monitors',
  serp_monitor: 'Searches',
  delivery: 'Deliveries',
  api_key: 'API keys',
  settings: 'Settings',
  team: 'The team',
  invitation: 'Invitations',
  member: 'Members',
  subscription: 'The subscription',
  account: 'Accounts',
  status_page: 'Status pages',
}

/** Returns an action in words, without what it is done to: `made the monitor …`. */
export function actionWords(action: Action): string {
  const [before, behind = ''] = SENTENCES[action]
  const text = [before.replace(/:$/, ''), behind === '' ? '' : '…', behind].filter((part) => part !== '').join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Whose target says nothing beside the action. */
export const hasTarget = ({ action, target_label: label }: AuditEvent): boolean =>
  label !== null && label !== '' && !/^(?:settings|billing|team\.renamed)/.test(action)

/** Whether the action is of the one who did it, so that its target is the actor. */
export const isOfActor = ({ action, actor, target_id: target, target_label: label }: AuditEvent): boolean =>
  /^(?:account\.|team\.member_(?:joined|left)$)/.test(action) && (actor.id === target || actor.label === label)
