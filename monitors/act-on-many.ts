import type { Requester } from '../schema/account/audit.ts'
import type { BulkAction } from '../schema/monitor/bulk.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { isStoreAway } from '../store/db/store-fault.ts'
import type { MonitorContext, OneMonitor } from './context.ts'
import { type DeleteOutcome, deleteMonitor } from './delete-monitor.ts'
import { type PauseOutcome, pauseMonitor } from './pause-monitor.ts'
import { type ResumeOutcome, resumeMonitor } from './resume-monitor.ts'
import { type RunOutcome, runMonitor } from './run-monitor.ts'

/** One action on many monitors of a team. */
interface ManyMonitors extends Requester {
  readonly action: BulkAction
  readonly ids: readonly string[]
}

/** The action threw for this monitor only. */
interface Failed {
  readonly kind: 'failed'
  readonly error: unknown
}

type ActOutcome = PauseOutcome | ResumeOutcome | DeleteOutcome | RunOutcome

/** The result for one monitor. */
export interface ManyResult {
  readonly id: string
  readonly outcome: ActOutcome | Failed
}

interface ManyDone {
  /** One result for each id, in the order in which the ids first appear. */
  readonly results: readonly ManyResult[]
  readonly succeeded: number
  readonly failed: number
}

const ACTS: Readonly<Record<BulkAction, (context: MonitorContext, one: OneMonitor) => Promise<ActOutcome>>> = {
  pause: pauseMonitor,
  resume: resumeMonitor,
  delete: deleteMonitor,
  run: runMonitor,
}

/**
 * Does the same action on many monitors, each independently: a failure for one does not undo the others. Each monitor
 * gets its own audit entry, and the whole action gets one. Rejects only when the store is away, because the remaining
 * monitors would fail too.
 */
export async function actOnMany(context: MonitorContext, { action, ids, ...who }: ManyMonitors): Promise<ManyDone> {
  const results: ManyResult[] = []
  // Workers are woken once, at the end.
  const quiet = { ...context, wake: () => {} }
  // The monitors are processed one by one, each in a short transaction. A long transaction would keep the team's quota
  // and many checks locked.
  for (const id of new Set(ids.map((each) => each.toLowerCase())))
    results.push({ id, outcome: await ACTS[action](quiet, { ...who, id }).catch(failed) })
  const succeeded = results.filter(({ outcome }) => outcome.kind === 'done').length
  const counts = { succeeded, failed: results.length - succeeded }
  if (succeeded > 0) {
    const metadata = { action, ...counts }
    const target = { id: null, label: null }
    await context.store.transaction((tx) =>
      recordAudit(tx, { ...who, action: 'monitor.bulk_action', target, metadata }),
    )
    if (action !== 'pause') context.wake()
  }
  return { results, ...counts }
}

function failed(error: unknown): Failed {
  if (isStoreAway(error)) throw error
  return { kind: 'failed', error }
}
