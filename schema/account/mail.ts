import Type, { type Static } from 'typebox'
import { Choice, Instant, Text } from '../shape/shape.ts'
import { ROLES } from './role.ts'

const kind = <K extends string, P extends Record<string, Type.TSchema>>(name: K, facts: P) =>
  Type.Object({ type: Type.Literal('account_mail'), kind: Type.Literal(name), ...facts })

/**
 * The mails to accounts: each kind, and the facts that its words are made of. A link is not a fact. It is a secret, and
 * is stored sealed beside the address.
 */
export const AccountMail = Type.Union([
  kind('verify_email', {}),
  kind('reset_password', {}),
  // Somebody signed up with the address of an account.
  kind('account_exists', {}),
  kind('invitation', {
    team_name: Text(1, 80),
    role: Choice(ROLES),
    invited_by: Text(1, 254),
    expires_at: Instant(),
  }),
  // To the person who invited.
  kind('invitation_accepted', { team_name: Text(1, 80), role: Choice(ROLES), member: Text(1, 254) }),
  kind('serp_auto_paused', {
    monitor_name: Text(1, 200),
    consecutive_failures: Type.Integer(),
    reason: Text(0, 4096, 'Why the last check failed.'),
  }),
])
type AnyMail = Static<typeof AccountMail>
export type AccountMailKind = AnyMail['kind']
/** A mail to an account as it is stored and read. */
export type AccountMail<K extends AccountMailKind = AccountMailKind> = Extract<AnyMail, { kind: K }>
