import type { ExtractConfig } from '../../schema/extract-config.ts'
import type { RequestConfig } from '../../schema/request-config.ts'
import type { VisualConfig } from '../../schema/visual-config.ts'
import type { CheckQueue, Claimed } from '../../store/claim.ts'
import type { Store } from '../../store/client.ts'
import { extendLeases, releaseChecks } from '../../store/lease.ts'
import { handOver, rememberLayer } from '../../store/remember-layer.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Task } from '../check/task.ts'
import type { RecordContext, Recorder } from '../record/recorder.ts'
import { answered, heldBy } from './answered.ts'
import { createClaimRound } from './claim-round.ts'
import type { Lane } from './lane.ts'
import { NO_MODEL, type Prompts } from './prompts.ts'

export interface PostgresLaneOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly recorder: Recorder
  /** Who asks the model; null: this installation has none. */
  readonly prompts?: Prompts | null
  /** Queues in the order of their turn. */
  readonly queues: readonly CheckQueue[]
  readonly leaseMs: number
}

/** The lane in process: claims from the tables and records into them. */
export function createPostgresLane(options: PostgresLaneOptions): Lane {
  const { store, secrets, recorder, prompts = null, queues, leaseMs } = options
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
      visual: row.visual_config as VisualConfig | null,
      triesStatic: row.tries_static,
      ...withModel(row, headersOf(row, secrets), prompts),
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
    async complete(finished, signal = NEVER) {
      const { task, reading } = finished
      const context = contexts.get(task)
      if (!context) throw new TypeError('a lane completes only what it gave out')
      if (reading.kind === 'moved') return handOver(store, { ...task, queue: reading.queue })
      if (reading.kind !== 'failed' && reading.remember)
        await rememberLayer(store, { ...task, queue: reading.remember })
      if (reading.kind !== 'text') return recorder.record({ ...finished, reading }, context)
      // Whoever would wait longer than its page is worth comes again.
      if (prompts?.hasRoom(heldBy(reading)) === false) return release([task], FULL_MS).catch(() => {})
      const recordable = await answered({ ...finished, reading }, { prompts, teamId: context.teamId, signal })
      if (recordable) await recorder.record(recordable, context)
    },
    release,
  }

  function release(tasks: readonly Task[], delayMs: number): Promise<void> {
    return releaseChecks(
      store,
      tasks.map(({ no, fence }) => ({ no, fence, delayMs })),
    )
  }
}

const NEVER = new AbortController().signal
/** After this a check that found the model's line full is due again. */
const FULL_MS = 10_000

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

/** Without a model the page of a prompt is not even fetched. */
function withModel<T extends Pick<Task, 'obstacle'>>(
  { extract_config }: Claimed,
  known: T,
  prompts: Prompts | null,
): T {
  const asks = (extract_config as ExtractConfig).method === 'prompt'
  return asks && !prompts ? { ...known, obstacle: known.obstacle ?? NO_MODEL } : known
}

/** Scheme, host and port: checks of one origin share its cap. */
function hostOf(url: string): string {
  return URL.parse(url)?.origin ?? url
}
