import type { OtherCount } from '../core/outcome.ts'
import type { Requester } from '../schema/account/audit.ts'
import { type BulkAction, MAX_BULK, type MonitorBulk } from '../schema/monitor/bulk.ts'
import type { MuteRequest } from '../schema/monitor/mute.ts'
import { amendAudit, type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { isStoreAway } from '../store/db/store-fault.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { listMatching } from '../store/monitors/mute-many.ts'
import type { OverviewQuery } from '../store/overview/wanted-monitors.ts'
import type { MonitorContext, OneMonitor } from './context.ts'
import { type DeleteOutcome, deleteMonitor } from './delete-monitor.ts'
import { editMonitor, type EditOutcome } from './edit-monitor.ts'
import type { Kind } from './kinds/kind.ts'
import { labelMonitor } from './label-monitor.ts'
import { type MuteOutcome, muteMonitor, type UnmuteOutcome, unmuteMonitor } from './mute-monitor.ts'
import { type PauseOutcome, pauseMonitor } from './pause-monitor.ts'
import { type ResumeOutcome, resumeMonitor } from './resume-monitor.ts'
import { type RunOutcome, runMonitor } from './run-monitor.ts'

/** One action on many monitors of a team. */
interface ManyMonitors extends Requester, ActionKeys {
  readonly action: BulkAction
  readonly ids: readonly string[]
}

/** Of single actions, which have them (`keys_of_bulk`). */
type ActionKeys = Partial<MuteRequest> & Pick<Partial<MonitorBulk>, 'labels' | 'schedule_interval_seconds'>

/** The action threw for this monitor only. */
interface Failed {
  readonly kind: 'failed'
  readonly error: unknown
}

type ActOutcome =
  | EditOutcome<EveryRow>
  | PauseOutcome
  | ResumeOutcome
  | MuteOutcome
  | UnmuteOutcome
  | DeleteOutcome
  | RunOutcome

/** The result for one monitor. */
export interface ManyResult {
  readonly id: string
  readonly outcome: ActOutcome | Failed
}

interface ManyDone {
  readonly kind: 'done'
  /** One result for each id, in the order in which the ids first appear. */
  readonly results: readonly ManyResult[]
  readonly succeeded: number
  readonly failed: number
}

const ACTS: Readonly<
  Record<BulkAction, (context: MonitorContext, kind: Kind, one: OneMonitor & ActionKeys) => Promise<ActOutcome>>
> = {
  pause: pauseMonitor,
  resume: resumeMonitor,
  mute: (context, kind, { until = null, ...one }) => muteMonitor(context, kind, { until, ...one }),
  unmute: unmuteMonitor,
  label: (context, kind, { labels = {}, ...one }) => labelMonitor(context, kind, { labels, ...one }),
  interval: (context, kind, { schedule_interval_seconds = 0, ...one }) =>
    editMonitor(context, kind, { ...one, patch: { schedule_interval_seconds } }),
  delete: deleteMonitor,
  run: runMonitor,
}

/**
 * Does the same action on many monitors, each independently: a failure for one does not undo the others. Each monitor
 * gets its own audit entry, and the whole action gets one, in the same transactions. Rejects only when the store is
 * away, because the remaining monitors would fail too.
 */
export async function actOnMany(
  context: MonitorContext,
  kind: Kind,
  { action, ids, ...who }: ManyMonitors,
): Promise<ManyDone> {
  const results: ManyResult[] = []
  const wanted = new Set(ids.map((each) => each.toLowerCase()))
  // Workers are woken once, at the end.
  const quiet = { ...context, wake: () => {} }
  // The monitors are processed one by one, each in a short transaction. A long transaction would keep the team's quota
  // and many checks locked.
  let succeeded = 0
  let line: string | null = null
  const countsOf = (done: number) => ({ succeeded: done, failed: wanted.size - done })
  for (const id of wanted) {
    const acted = await context.store
      .transaction(async (tx) => {
        const outcome = await ACTS[action]({ ...quiet, store: tx }, kind, { ...who, id })
        if (outcome.kind !== 'done') return { outcome, line }
        const metadata = { action, ...countsOf(succeeded + 1) }
        return { outcome, line: await noteBulk(tx, line, { ...who, metadata }) }
      })
      .catch((error: unknown) => ({ outcome: failed(error), line }))
    line = acted.line
    if (acted.outcome.kind === 'done') succeeded += 1
    results.push({ id, outcome: acted.outcome })
  }
  if (succeeded > 0 && action !== 'pause') context.wake()
  return { kind: 'done', results, ...countsOf(succeeded) }
}

/** The same, for all monitors of the kind that filters leave. */
interface MatchingMonitors extends Omit<ManyMonitors, 'ids'> {
  readonly query: OverviewQuery
  readonly expected: number
}

/** Does the same for all monitors that filters leave. Nothing is done where they are not as many as expected. */
export async function actOnMatching(
  context: MonitorContext,
  kind: Kind,
  { query, expected, ...asked }: MatchingMonitors,
): Promise<ManyDone | OtherCount> {
  const found = await listMatching(context.store, query, MAX_BULK + 1)
  if (found.length !== expected)
    return { kind: 'other_count', what: 'monitors', expected, count: found.length, most: MAX_BULK }
  return actOnMany(context, kind, { ...asked, ids: found.map(({ id }) => id) })
}

/**
 * Writes the line of the whole action with the first monitor that it changes, and counts on with each further one: what
 * was not done yet counts as failed. So the line is true wherever a process is killed. Returns its id.
 */
export async function noteBulk(
  tx: Transaction,
  line: string | null,
  { metadata, ...who }: Requester & Required<Pick<AuditEntry, 'metadata'>>,
): Promise<string> {
  if (line === null)
    return recordAudit(tx, { ...who, action: 'monitor.bulk_action', target: { id: null, label: null }, metadata })
  await amendAudit(tx, line, metadata)
  return line
}

function failed(error: unknown): Failed {
  if (isStoreAway(error)) throw error
  return { kind: 'failed', error }
}
