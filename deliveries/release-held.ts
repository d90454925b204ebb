import type { NotFound } from '../core/outcome.ts'
import type { AuditAction, Requester } from '../schema/account/audit.ts'
import type { ReleaseAction } from '../schema/run/delivery-release.ts'
import type { DeliveryStatus } from '../schema/run/delivery.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { Store, Transaction } from '../store/db/client.ts'
import { dropHeld, sendHeld, statusesOf } from '../store/deliveries/held-deliveries.ts'

interface ReleaseContext {
  readonly store: Store
  /** Wakes the workers of this process, because deliveries are due now. */
  wake(): void
}

/** Deliveries of a team whose wait is to end, and the requester. */
interface ReleaseWanted extends Requester {
  readonly ids: readonly string[]
  readonly action: ReleaseAction
}

/** The delivery does not wait for a later hour. */
export interface NotHeld {
  readonly kind: 'not_held'
  readonly status: DeliveryStatus
}

interface Released {
  readonly id: string
  readonly outcome: { readonly kind: 'done' } | NotFound | NotHeld
}

const ACTS = {
  send: { act: sendHeld, audit: 'delivery.released' },
  drop: { act: dropHeld, audit: 'delivery.dropped' },
} as const satisfies Record<ReleaseAction, { readonly act: typeof dropHeld; readonly audit: AuditAction }>

/**
 * Sends deliveries that wait for a later hour now, or drops them. Returns one result for each id, in the order in which
 * they first appear.
 */
export async function releaseHeld({ store, wake }: ReleaseContext, wanted: ReleaseWanted): Promise<Released[]> {
  const results = await store.transaction((tx) => release(tx, wanted))
  if (wanted.action === 'send' && results.some(({ outcome }) => outcome.kind === 'done')) wake()
  return results
}

async function release(tx: Transaction, { teamId, actor, ids, action }: ReleaseWanted): Promise<Released[]> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))]
  const { act, audit } = ACTS[action]
  const ended = new Set<string>()
  for (const { id, run_id, monitor_name: label } of await act(tx, teamId, wanted)) {
    ended.add(id)
    await recordAudit(tx, { teamId, actor, action: audit, target: { id, label }, metadata: { run_id } })
  }
  const statuses = await statusesOf(tx, teamId, wanted)
  return wanted.map((id): Released => {
    if (ended.has(id)) return { id, outcome: { kind: 'done' } }
    const status = statuses.get(id)
    return { id, outcome: status ? { kind: 'not_held', status } : { kind: 'not_found', what: 'delivery' } }
  })
}
