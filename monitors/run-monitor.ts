import type { NotFound } from '../core/outcome.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { runNow } from '../store/monitors/monitor-run-now.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { type Locked, NO_MONITOR, type OutOfRuns } from './outcome.ts'

/** The run is queued, and readable as running from now on. */
interface RunQueued {
  readonly kind: 'done'
  readonly runId: string
}

export type RunOutcome = RunQueued | NotFound | Locked | OutOfRuns

/**
 * Queues a run of a monitor, even of a paused one. If a run is queued already, it is returned without another audit
 * entry.
 */
export async function runMonitor(
  { store, wake }: Pick<MonitorContext, 'store' | 'wake'>,
  kind: Kind,
  one: OneMonitor,
): Promise<RunOutcome> {
  const outcome = await store.transaction((tx) => run(tx, kind, one))
  if (outcome.kind === 'done') wake()
  return outcome
}

/** Queues a run within a transaction. */
export async function run(tx: Transaction, kind: Kind, { teamId, actor, id }: OneMonitor): Promise<RunOutcome> {
  const found = await runNow(tx, teamId, id, kind.table.kind)
  switch (found.kind) {
    case 'missing':
      return NO_MONITOR
    case 'used_up':
      return found
    case 'locked':
      return { kind: 'locked', act: 'run' }
    case 'queued': {
      const { runId, name, isNew } = found
      const target = { id, label: name }
      const metadata = { run_id: runId }
      if (isNew) await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'run_triggered'), target, metadata })
      return { kind: 'done', runId }
    }
  }
}
