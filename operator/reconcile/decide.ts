import { ADOPT } from '../../core/custom-resource/annotations.ts'
import { isApplied } from '../../monitors/declared/applied-state.ts'
import type { DeclaredRow } from '../../store/monitors/monitor-resource.ts'
import { type CustomResource, hasFinalizer, requestOf } from './custom-resource.ts'

/** The result of reading the spec of a resource with its Secrets and its namespace's team. */
export type Resolved =
  | { readonly kind: 'valid'; readonly teamId: string; readonly hash: Buffer }
  /** It cannot be applied until somebody changes something. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string }

/** The reasons of Ready=False that need a person. They are part of the interface: programs compare them. */
export type RefusalReason =
  | 'NoTeam'
  | 'SecretMissing'
  | 'SecretForbidden'
  | 'Invalid'
  | 'PlanLimit'
  | 'NotAdoptable'
  | 'OtherTeam'
  | 'LaterVersion'

/** Everything that a decision is made from. */
export interface Situation {
  /** Null: the API server has no such resource. */
  readonly resource: CustomResource | null
  /** The resource was deleted, or is missing in a list without a deletion. */
  readonly vanished: 'deleted' | 'missing' | null
  /** The definition of the kind is being deleted, and all resources with it. */
  readonly isKindGoing: boolean
  readonly resolved: Resolved | null
  /** The record that the resource declares in the store, as it was read last. */
  readonly record: Pick<DeclaredRow, 'monitor_id' | 'uid' | 'generation' | 'hash' | 'last_request'> | null
}

export type Action =
  | { readonly kind: 'add_finalizer' }
  | { readonly kind: 'apply'; readonly adopts: string | null; readonly request: string | null }
  | { readonly kind: 'delete_record' }
  | { readonly kind: 'release_record' }
  | { readonly kind: 'remove_finalizer' }
  | { readonly kind: 'refuse'; readonly reason: RefusalReason; readonly message: string }
  | { readonly kind: 'report' }

/**
 * Returns what is to be done about a resource, in order.
 *
 *     resource                      record        actions
 *     gone, deleted                 there         delete_record
 *     gone, missing                 there         release_record: nobody deleted it
 *     gone                          none          -
 *     being deleted                 any           delete_record, remove_finalizer
 *     being deleted with its kind   any           release_record, remove_finalizer
 *     there, cannot be resolved     any           refuse: the record stays as it is
 *     there                         equal         report
 *     there                         differs       add_finalizer, apply, report
 *
 * It has no effects and reads no clock, so that its rules are tested over all situations.
 */
export function decide(situation: Situation): readonly Action[] {
  const { resource, vanished, isKindGoing, record } = situation
  if (!resource) {
    if (!record) return []
    return [{ kind: vanished === 'deleted' && !isKindGoing ? 'delete_record' : 'release_record' }]
  }
  if (resource.metadata.deletionTimestamp === undefined) return whileThere(resource, situation)
  const end: Action[] = record ? [{ kind: isKindGoing ? 'release_record' : 'delete_record' }] : []
  return hasFinalizer(resource) ? [...end, { kind: 'remove_finalizer' }] : end
}

function whileThere(resource: CustomResource, { resolved, record }: Situation): readonly Action[] {
  if (!resolved) return []
  if (resolved.kind === 'refused') return [{ ...resolved, kind: 'refuse' }]
  const { annotations } = resource.metadata
  const request = requestOf(resource)
  const adopts = annotations?.[ADOPT] ?? null
  const isAdopted = adopts === null || adopts.toLowerCase() === record?.monitor_id
  const { uid, generation = 0 } = resource.metadata
  const state = { uid, generation, hash: resolved.hash, lastRequest: request }
  const isDone = record && isAdopted && isApplied(state, record)
  return [
    // The finalizer comes before the record: a record that exists is always deleted with its resource.
    ...(hasFinalizer(resource) ? [] : [{ kind: 'add_finalizer' } as const]),
    ...(isDone ? [] : [{ kind: 'apply', adopts, request } as const]),
    { kind: 'report' },
  ]
}
