import type { Invalid, OtherCount } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import type { Mute, MuteRequest } from '../schema/monitor/mute.ts'
import { MAX_MUTED, MUTE_BATCH } from '../schema/overview/overview.ts'
import { recordAudit, recordAudits } from '../store/accounts/audit.ts'
import type { Store, Transaction } from '../store/db/client.ts'
import { findHolding, moveMuted } from '../store/deliveries/muted-messages.ts'
import { storeTime } from '../store/maintenance/clock-back.ts'
import { listMatching, setMutes } from '../store/monitors/mute-many.ts'
import type { OverviewQuery } from '../store/overview/wanted-monitors.ts'
import { auditedAs, type MonitorContext } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { muteOf } from './mute-monitor.ts'

interface MuteContext extends Pick<MonitorContext, 'secrets' | 'wake'> {
  readonly store: Store
}

/** The monitors that filters leave, how many the requester expects, and how they are muted. Null: they are unmuted. */
interface MatchingMute extends Requester {
  readonly query: OverviewQuery
  readonly expected: number
  readonly request: MuteRequest | null
  /** How many are changed in one transaction. */
  readonly batch?: number
}

interface MatchingMuted {
  readonly kind: 'done'
  readonly changed: number
}

/**
 * Mutes or unmutes all monitors that filters leave, in batches. A batch is one transaction with its lines of the audit
 * log. It does what `muteMonitor` does for each of them.
 */
export async function muteMatching(
  { store, secrets, wake }: MuteContext,
  kinds: readonly Kind[],
  { query, expected, request, teamId, actor, batch = MUTE_BATCH }: MatchingMute,
): Promise<MatchingMuted | OtherCount | Invalid> {
  const nos = await listMatching(store, query, MAX_MUTED + 1)
  if (nos.length !== expected)
    return { kind: 'other_count', what: 'monitors', expected, count: nos.length, most: MAX_MUTED }
  const mute = request === null ? null : muteOf(request, await storeTime(store))
  if (mute !== null && 'kind' in mute) return mute
  const who = { teamId, actor }
  let changed = 0
  for (let from = 0; from < nos.length; from += batch) {
    const some = nos.slice(from, from + batch)
    changed += await store.transaction((tx) => muteBatch(tx, { secrets, kinds, ...who, nos: some, mute }))
    if (mute === null) wake()
  }
  if (changed > 0) await store.transaction((tx) => noteAll(tx, { ...who, mute, changed, left: nos.length - changed }))
  return { kind: 'done', changed }
}

interface Batch extends Requester, Pick<MonitorContext, 'secrets'> {
  readonly kinds: readonly Kind[]
  readonly nos: readonly number[]
  readonly mute: Mute | null
}

/** Returns how many monitors were changed. */
async function muteBatch(tx: Transaction, { secrets, kinds, teamId, actor, nos, mute }: Batch): Promise<number> {
  const changed = await setMutes(tx, { teamId, nos, mute })
  for (const no of await findHolding(
    tx,
    changed.map((one) => one.no),
  ))
    await moveMuted(tx, secrets, { team_id: teamId, no })
  const metadata = mute && { until: mute.until, reason: mute.reason, drop: mute.drop }
  await recordAudits(
    tx,
    changed.flatMap(({ id, name, kind: of }) => {
      const kind = kinds.find(({ table }) => table.kind === of)
      if (!kind) return []
      const action = auditedAs(kind, mute ? 'muted' : 'unmuted')
      return [{ teamId, actor, action, target: { id, label: name }, ...(metadata && { metadata }) }]
    }),
  )
  return changed.length
}

interface Noted extends Requester {
  readonly mute: Mute | null
  readonly changed: number
  readonly left: number
}

async function noteAll(tx: Transaction, { teamId, actor, mute, changed, left }: Noted): Promise<void> {
  const metadata = { action: mute ? 'mute' : 'unmute', succeeded: changed, failed: left }
  await recordAudit(tx, { teamId, actor, action: 'monitor.bulk_action', target: { id: null, label: null }, metadata })
}
