import { isUuid } from '../../core/is-uuid.ts'
import type { Transaction } from '../../store/db/client.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import { lockMonitor } from '../../store/monitors/monitor-edit.ts'
import { type LockedRow, resourceOf } from '../../store/monitors/monitor-resource.ts'
import { kindCalled } from '../kinds/kinds.ts'
import type { Declaration, DeclaresAnother, NotAdoptable, OtherTeam } from './declaration.ts'

/** The record that a declaration is about. */
export interface Target {
  readonly kind: 'target'
  /** Null: it is to be created. */
  readonly stored: EveryRow | null
  /** The resource declared it before. */
  readonly isDeclared: boolean
  readonly lastRequest: string | null
}

export const isThere = (target: Target): target is Target & { readonly stored: EveryRow } => target.stored !== null

/** Returns the record that a declaration is about, or why it can be about none. */
export async function targetOf(
  tx: Transaction,
  declaration: Declaration,
  known: LockedRow | null,
): Promise<Target | NotAdoptable | DeclaresAnother | OtherTeam> {
  if (known === null || known.is_released) return undeclaredTarget(tx, declaration, known)
  const { teamId, resource, adopts } = declaration
  const { team_id: ownTeam, monitor_id: id, last_request: lastRequest } = known
  if (ownTeam !== teamId) return { kind: 'other_team' }
  if (adopts !== null && adopts.toLowerCase() !== id) return { kind: 'declares_another', id }
  const stored = await lockMonitor(tx, teamId, id, kindCalled(resource.kind).table)
  return { kind: 'target', stored, isDeclared: true, lastRequest }
}

/**
 * Returns what a resource without a record is about. `released`: the record that it had, and that was given back. It
 * vanished and is back, with its cluster or the definition of its kind.
 */
async function undeclaredTarget(
  tx: Transaction,
  { teamId, resource, adopts }: Declaration,
  released: LockedRow | null,
): Promise<Target | NotAdoptable> {
  const id = adopts ?? (released?.team_id === teamId ? released.monitor_id : null)
  const target = { kind: 'target', isDeclared: false, lastRequest: released?.last_request ?? null } as const
  if (id === null) return { ...target, stored: null }
  // The annotation is free text, and the store refuses what is not an id.
  const stored = isUuid(id) ? await lockMonitor(tx, teamId, id, kindCalled(resource.kind).table) : null
  return (await notAdoptable(tx, stored)) ?? { ...target, stored }
}

/** Returns why a monitor that the annotation names cannot be taken over; null when it can. */
async function notAdoptable(tx: Transaction, stored: EveryRow | null): Promise<NotAdoptable | null> {
  if (stored?.managed_by === 'api') return null
  return { kind: 'not_adoptable', by: stored && (await resourceOf(tx, stored.no)) }
}
