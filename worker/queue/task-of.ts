import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import { type CheckQueue, layerReason, type PageQueue } from '../../core/check-queue.ts'
import type { Claimed, ClaimedPage } from '../../store/queue/claim.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { PageTask, Task } from '../../runners/check/task.ts'
import type { RecordContext } from '../record/recorder.ts'
import { NO_MODEL } from '../prompts/prompts-port.ts'

interface Claiming {
  readonly queue: CheckQueue
  /** `performance.now()` before the claim. */
  readonly claimedAt: number
  readonly secrets: SecretBox
  readonly hasModel: boolean
}

/** Returns the task for a claimed row. */
export function taskOf(row: Claimed, claiming: Claiming): Task {
  if (row.kind === 'page') return pageTaskOf(row, claiming)
  const { search } = row
  return { ...known(row, claiming), kind: 'serp', queue: 'serp', host: search.engine, search, obstacle: null }
}

/** Returns the task for the claimed row of a page. */
export function pageTaskOf(row: ClaimedPage, claiming: Claiming): PageTask {
  const { queue, secrets, hasModel } = claiming
  return {
    ...known(row, claiming),
    kind: 'page',
    // A check of a page is never in the queue of searches.
    queue: queue as PageQueue,
    url: row.url,
    host: hostOf(row.url),
    extract: row.extract_config as ExtractConfig,
    request: row.request_config as RequestConfig | null,
    visual: row.visual_config as VisualConfig | null,
    triesStatic: row.tries_static,
    reason: row.layer_reason ?? layerReason({ queue, fetch_mode: row.fetch_mode }),
    ...withModel(row, headersOf(row, secrets), hasModel),
    last: row.reading_id === null ? null : { etag: row.etag, lastModified: row.last_modified, bodyHash: row.body_hash },
  }
}

/**
 * Returns the fields that every task has. The team decides whose turn it is. Its id stays in this process: a runner is
 * given a hash.
 */
function known(row: Claimed, { claimedAt }: Claiming) {
  return {
    no: row.no,
    fence: row.fence,
    runId: row.run_id,
    monitorId: row.monitor_id,
    team: row.team_id,
    teamKey: row.team_id,
    dueMs: row.due_ms,
    claimedMs: row.claimed_ms,
    claimedAt,
  }
}

/** Returns what the recorder needs besides the outcome. */
export const contextOf = (row: Claimed): RecordContext => ({
  teamId: row.team_id,
  readingHash: row.reading_hash,
  failures: row.failures,
  monitorName: row.name,
})

/** A monitor whose headers cannot be opened must not block the claim of the others. Its own run reports the fault. */
function headersOf(row: ClaimedPage, secrets: SecretBox): Pick<PageTask, 'headers' | 'obstacle'> {
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

/** Without a model the page of a prompt is not fetched at all. */
function withModel<T extends Pick<Task, 'obstacle'>>({ extract_config }: ClaimedPage, known: T, hasModel: boolean): T {
  const asks = (extract_config as ExtractConfig).method === 'prompt'
  return asks && !hasModel ? { ...known, obstacle: known.obstacle ?? NO_MODEL } : known
}

/** Scheme, host and port: checks of the same origin share its cap. */
function hostOf(url: string): string {
  return URL.parse(url)?.origin ?? url
}
