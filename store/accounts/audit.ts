import { sql } from 'slonik'
import { type Actor, AUDIT_ACTIONS, type AuditAction } from '../../schema/account/audit.ts'
import type { Json } from '../../schema/shape/json.ts'
import type { Transaction } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/** One line of the audit log, as provided by the action that it records. */
export interface AuditEntry {
  readonly teamId: string
  readonly actor: Actor
  readonly action: AuditAction
  readonly target: {
    /** Null when the action has no single target (a bulk action). */
    readonly id: string | null
    /** A monitor's name, a key's prefix, a member's address. */
    readonly label: string | null
  }
  /** Small data without secrets: changed fields, the role before and after. */
  readonly metadata?: { readonly [key: string]: Json }
}

/** Writes the line in the transaction of the action, so that the action and its line always exist together. */
export async function recordAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  const { teamId, actor, action, target } = entry
  await tx.query(sql.type(nothing)`
    insert into audit_events
      (team_id, action, target_type, target_id, target_label, actor_type, actor_id, actor_label, ip_address, metadata)
    values (
      ${teamId}, ${action}, ${AUDIT_ACTIONS[action]}, ${target.id}, ${target.label},
      ${actor.type}, ${actor.id}, ${actor.label}, ${actor.ip}, ${JSON.stringify(entry.metadata ?? {})}
    )`)
}
