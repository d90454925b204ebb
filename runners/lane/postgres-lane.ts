import type { ExtractConfig } from '../../schema/extract-config.ts'
import type { RequestConfig } from '../../schema/request-config.ts'
import { type Claimed, type CheckQueue, claimChecks } from '../../store/claim.ts'
import type { Store } from '../../store/client.ts'
import { extendLeases, releaseChecks } from '../../store/lease.ts'
import type { SecretBox } from '../../store/secret-box.ts'
import type { Task } from '../check/task.ts'
import type { RecordContext, Recorder } from '../record/recorder.ts'
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
  const rounds = new Map(queues.map((queue) => [queue, { afterTeam: '', teams: 1 }]))
  const leaseSeconds = leaseMs / 1000
  let turn = 0

  /** Goes on where the last claim stopped, round over all teams: behind a team that fills a claim alone, the others are next. */
  async function claimFrom(queue: CheckQueue, limit: number): Promise<Task[]> {
    const round = rounds.get(queue)
    if (!round) return []
    const perTeam = Math.max(1, Math.ceil(limit / round.teams))
    const teams = new Set<string>()
    const tasks: Task[] = []
    for (const afterTeam of round.afterTeam === '' ? [''] : [round.afterTeam, '']) {
      const claimedAt = performance.now()
      const room = limit - tasks.length
      const rows = await claimChecks(store, {
        queue,
        limit: room,
        perTeam: Math.min(perTeam, room),
        afterTeam,
        leaseSeconds,
      })
      for (const row of rows) tasks.push(taskOf(row, queue, claimedAt))
      const served = new Set(rows.map((row) => row.team_id))
      for (const team of served) teams.add(team)
      round.afterTeam = rows.length >= room ? maxOf(served) : ''
      if (round.afterTeam !== '') break
    }
    // The share of each team follows from how many had work last time.
    round.teams = Math.max(1, teams.size)
    return tasks
  }

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
    contexts.set(task, { teamId: row.team_id, readingHash: row.reading_hash })
    return task
  }

  return {
    async claim(limit) {
      const tasks: Task[] = []
      // Another queue has the first turn each time, so that one that is always full does not starve the rest.
      const first = turn++ % queues.length
      for (const queue of [...queues.slice(first), ...queues.slice(0, first)]) {
        if (tasks.length >= limit) break
        try {
          tasks.push(...(await claimFrom(queue, limit - tasks.length)))
        } catch (error) {
          // What the queues before it gave is ours already; whether the store is away, the next claim will see.
          if (tasks.length === 0) throw error
          break
        }
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

function maxOf(ids: ReadonlySet<string>): string {
  let max = ''
  for (const id of ids) if (id > max) max = id
  return max
}

/** Scheme, host and port: checks of one origin share its cap. */
function hostOf(url: string): string {
  return URL.parse(url)?.origin ?? url
}
