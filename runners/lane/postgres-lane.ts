import type { ExtractConfig } from '../../schema/extract-config.ts'
import type { RequestConfig } from '../../schema/request-config.ts'
import type { CheckQueue, Claimed } from '../../store/claim.ts'
import type { Store } from '../../store/client.ts'
import { extendLeases, releaseChecks } from '../../store/lease.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Task } from '../check/task.ts'
import type { RecordContext, Recorder } from '../record/recorder.ts'
import { createClaimRound } from './claim-round.ts'
import type { Lane } from './lane.ts'

export interface PostgresLaneOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly recorder: Recorder
  /** Queues in the order of their turn. */
  readonly queues: readonly CheckQueue[]
  readonly leaseMs: number
}

/** The lane in process: claims from the tables and records into them. */
export function createPostgresLane({ store, secrets, recorder, queues, leaseMs }: PostgresLaneOptions): Lane {
  const contexts = new WeakMap<Task, RecordContext>()
  const leaseSeconds = leaseMs / 1000
  const lines = queues.map((queue) => ({ queue, claim: createClaimRound({ store, queue, leaseSeconds }) }))
  let turn = 0

  function taskOf(row: Claimed, queue: CheckQueue, claimedAt: number): Task {
    const task: Task = {
      no: row.no,
      fence: row.fence,
      runId: row.run_id,
      monitorId: row.monitor_id,
      queue,
      url: row.url,
      host: hostOf(row.url),
      extract: row.extract_config as ExtractConfig,
      request: row.request_config as RequestConfig | null,
      ...headersOf(row, secrets),
      last:
        row.reading_id === null ? null : { etag: row.etag, lastModified: row.last_modified, bodyHash: row.body_hash },
      dueMs: row.due_ms,
      claimedMs: row.claimed_ms,
      claimedAt,
    }
    contexts.set(task, { teamId: row.team_id, readingHash: row.reading_hash, failures: row.failures })
    return task
  }

  async function claimFrom({ queue, claim }: (typeof lines)[number], limit: number, tasks: Task[]): Promise<void> {
    for await (const { rows, claimedAt } of claim(limit - tasks.length))
      for (const row of rows) tasks.push(taskOf(row, queue, claimedAt))
  }

  return {
    async claim(limit) {
      const tasks: Task[] = []
      // Another queue has the first turn each time, so that one that is always full does not starve the rest.
      const first = turn++ % lines.length
      try {
        for (const line of [...lines.slice(first), ...lines.slice(0, first)])
          if (tasks.length < limit) await claimFrom(line, limit, tasks)
      } catch (error) {
        // What was claimed before is ours already; whether the store is away, the next claim will see.
        if (tasks.length === 0) throw error
      }
      return tasks
    },
    heartbeat: (tasks) => extendLeases(store, tasks, leaseSeconds),
    async complete(finished) {
      const context = contexts.get(finished.task)
      if (!context) throw new TypeError('a lane completes only what it gave out')
      await recorder.record(finished, context)
    },
    release: (tasks, delayMs) =>
      releaseChecks(
        store,
        tasks.map(({ no, fence }) => ({ no, fence, delayMs })),
      ),
  }
}

/** One monitor whose headers cannot be opened must not hold up the claim of the others: its own run says so. */
function headersOf(row: Claimed, secrets: SecretBox): Pick<Task, 'headers' | 'obstacle'> {
  if (row.request_headers === null) return { headers: null, obstacle: null }
  try {
    const headers = secrets.open({ teamId: row.team_id, column: 'monitors.request_headers' }, row.request_headers)
    return { headers: headers as Record<string, string>, obstacle: null }
  } catch {
    return {
      headers: null,
      obstacle:
        'The stored request headers cannot be decrypted with the current encryption key; set request_headers again.',
    }
  }
}

/** Scheme, host and port: checks of one origin share its cap. */
function hostOf(url: string): string {
  return URL.parse(url)?.origin ?? url
}
