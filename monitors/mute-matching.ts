import type { Invalid, OtherCount } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import type { Mute, MuteRequest } from '../schema/monitor/mute.ts'
import { MAX_MUTED, MUTE_BATCH } from '../schema/overview/overview.ts'
import { recordAudits } from '../store/accounts/audit.ts'
import { COLLISION_RETRIES, type Store, type Transaction } from '../store/db/client.ts'
import { findHolding, moveMuted } from '../store/deliveries/muted-messages.ts'
import { storeTime } from '../store/maintenance/clock-back.ts'
import { listMatching, setMutes } from '../store/monitors/mute-many.ts'
import type { OverviewQuery } from '../store/overview/wanted-monitors.ts'
import { noteBulk } from './act-on-many.ts'
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
 * log. One that meets an edit or a run in a deadlock is done again. It does what `muteMonitor` does for each of them.
 */
export async function muteMatching(
  { store, secrets, wake }: MuteContext,
  kinds: readonly Kind[],
  { query, expected, request, teamId, actor, batch = MUTE_BATCH }: MatchingMute,
): Promise<MatchingMuted | OtherCount | Invalid> {
  const nos = (await listMatching(store, query, MAX_MUTED + 1)).map(({ no }) => no)
  if (nos.length !== expected)
    return { kind: 'other_count', what: 'monitors', expected, count: nos.length, most: MAX_MUTED }
  const mute = request === null ? null : muteOf(request, await storeTime(store))
  if (mute !== null && 'kind' in mute) return mute
  const batches = batchesOf(nos, batch, await findHolding(store, nos))
  let [changed, done, line]: [number, number, string | null] = [0, 0, null]
  for (const some of batches) {
    done += some.length
    // An unmuted monitor is as it was asked for. A muted one that is missing was deleted since the list was read.
    const succeeded = (count: number) => (mute === null ? done : changed + count)
    const acted: MutedBatch = await store.transaction(async (tx) => {
      const count = await muteBatch(tx, { secrets, kinds, teamId, actor, nos: some, mute })
      if (count === 0) return { count, line }
      const metadata = {
        action: mute ? 'mute' : 'unmute',
        succeeded: succeeded(count),
        failed: nos.length - succeeded(count),
      }
      return { count, line: await noteBulk(tx, line, { teamId, actor, metadata }) }
    }, COLLISION_RETRIES)
    changed += acted.count
    line = acted.line
    if (mute === null) wake()
  }
  return { kind: 'done', changed }
}

/** What one transaction did. `line`: the line of the audit log about all of them. */
interface MutedBatch {
  readonly count: number
  readonly line: string | null
}

/**
 * Returns the monitors in parts, of which each is one transaction. One with messages that a mute holds is by itself: to
 * move them takes time, in which no run of the part is recorded.
 */
function batchesOf(nos: readonly number[], size: number, holding: readonly number[]): readonly (readonly number[])[] {
  const single = new Set(holding)
  const others = nos.filter((no) => !single.has(no))
  const parts = Array.from({ length: Math.ceil(others.length / size) }, (_, nth) =>
    others.slice(nth * size, (nth + 1) * size),
  )
  return [...parts, ...holding.map((no) => [no])]
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
