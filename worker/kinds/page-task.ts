import { layerReason, type PageQueue } from '../../core/check-queue.ts'
import type { PageTask } from '../../runners/check/task.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { ClaimedPage } from '../../store/queue/claim.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { NO_MODEL } from '../prompts/prompts-port.ts'
import { type Claiming, knownOf } from '../queue/claimed.ts'
import { hostOf } from '../queue/host-of.ts'

/** Returns the task for the claimed row of a page. */
export function pageTaskOf(row: ClaimedPage, claiming: Claiming): PageTask {
  const { queue, secrets, hasModel } = claiming
  return {
    ...knownOf(row, claiming),
    kind: 'page',
    // A check of a page is never in the queue of searches.
    queue: queue as PageQueue,
    url: row.url,
    host: hostOf(row.url),
    extract: row.extract_config as ExtractConfig,
    request: row.request_config as RequestConfig | null,
    visual: row.visual_config as VisualConfig | null,
    triesStatic: row.tries_static,
    ...(row.renders_missing && { rendersMissing: true }),
    ...withoutMedia(row),
    reason: row.layer_reason ?? layerReason({ queue, fetch_mode: row.fetch_mode }),
    ...withModel(row, headersOf(row, secrets), hasModel),
    last: row.reading_id === null ? null : { etag: row.etag, lastModified: row.last_modified, bodyHash: row.body_hash },
  }
}

/** A model is asked about the text of a page that nothing here can compare. */
function withoutMedia({ without_media, reading_hash, reading_id, read_by, extract_config }: ClaimedPage) {
  const isCompared = (extract_config as ExtractConfig).method !== 'prompt'
  if (!without_media || !isCompared || reading_id === null || reading_hash === null) return null
  return { withoutMedia: { readingHash: reading_hash, readBy: read_by } }
}

/** A monitor whose headers cannot be opened must not block the claim of the others. Its own run reports the fault. */
function headersOf(row: ClaimedPage, secrets: SecretBox): Pick<PageTask, 'headers' | 'obstacle'> {
  if (row.request_headers === null) return { headers: null, obstacle: null }
  try {
    const place = { teamId: row.team_id, column: 'monitors.request_headers', rowId: row.monitor_id } as const
    const headers = secrets.open(place, row.request_headers)
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
function withModel<T extends Pick<PageTask, 'obstacle'>>(
  { extract_config }: ClaimedPage,
  known: T,
  hasModel: boolean,
): T {
  const asks = (extract_config as ExtractConfig).method === 'prompt'
  return asks && !hasModel ? { ...known, obstacle: known.obstacle ?? NO_MODEL } : known
}
