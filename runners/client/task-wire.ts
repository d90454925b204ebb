import { teamKey } from '../../egress/trust.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { RunnerMark, RunnerSearch, RunnerTask } from '../../schema/runner-api.ts'
import type { PageMark } from '../check/reading.ts'
import type { KnownReading, PageTask, SerpTask } from '../check/task.ts'

/** A search as it is sent to a runner. One whose engine is left alone is never given out. */
export function searchToWire(task: SerpTask): RunnerSearch {
  return {
    no: task.no,
    fence: task.fence,
    run_id: task.runId,
    monitor_id: task.monitorId,
    team_key: task.team === undefined ? '' : teamKey(task.team),
    search: task.search,
    due_ms: task.dueMs,
    claimed_ms: task.claimedMs,
  }
}

/** Returns a search from the wire, as `taskFromWire` does a page. */
export function searchFromWire(wire: RunnerSearch, claimedAt: number): SerpTask {
  return {
    kind: 'serp',
    queue: 'serp',
    no: wire.no,
    fence: wire.fence,
    runId: wire.run_id,
    monitorId: wire.monitor_id,
    host: wire.search.engine,
    teamKey: wire.team_key,
    search: wire.search,
    refusedUntilMs: null,
    obstacle: null,
    dueMs: wire.due_ms,
    claimedMs: wire.claimed_ms,
    claimedAt,
  }
}

/** A page's task as it is sent to a runner. */
export function taskToWire(task: PageTask): RunnerTask {
  return {
    no: task.no,
    fence: task.fence,
    run_id: task.runId,
    monitor_id: task.monitorId,
    queue: task.queue === 'visual' ? 'visual' : 'browser',
    url: task.url,
    host: task.host,
    team_key: task.team === undefined ? '' : teamKey(task.team),
    extract_config: task.extract,
    request_config: task.request,
    visual_config: task.visual,
    request_headers: task.headers,
    obstacle: task.obstacle,
    tries_static: task.triesStatic,
    ...(task.rendersMissing === true && { renders_missing: true }),
    ...(task.withoutMedia && { without_media: knownToWire(task.withoutMedia) }),
    ...(task.asksFetched === true && { asks_fetched: true }),
    ...(task.looks === true && { looks: true }),
    reason: task.reason,
    last: task.last && markToWire(task.last),
    due_ms: task.dueMs,
    claimed_ms: task.claimedMs,
  }
}

/** Returns a task from the wire. `claimedAt` is the runner's `performance.now()` before its request. */
export function taskFromWire(wire: RunnerTask, claimedAt: number): PageTask {
  return {
    kind: 'page',
    no: wire.no,
    fence: wire.fence,
    runId: wire.run_id,
    monitorId: wire.monitor_id,
    queue: wire.queue,
    url: wire.url,
    host: wire.host,
    teamKey: wire.team_key,
    extract: wire.extract_config as ExtractConfig,
    request: wire.request_config as RequestConfig | null,
    visual: wire.visual_config as VisualConfig | null,
    headers: wire.request_headers as PageTask['headers'],
    obstacle: wire.obstacle,
    triesStatic: wire.tries_static,
    ...(wire.renders_missing === true && { rendersMissing: true }),
    ...(wire.without_media && { withoutMedia: knownFromWire(wire.without_media) }),
    ...(wire.asks_fetched === true && { asksFetched: true }),
    ...(wire.looks === true && { looks: true }),
    reason: wire.reason,
    last: wire.last && markFromWire(wire.last),
    dueMs: wire.due_ms,
    claimedMs: wire.claimed_ms,
    claimedAt,
  }
}

const knownToWire = ({ readingHash, readBy }: KnownReading) => ({ reading_hash: hexOf(readingHash), read_by: readBy })

const knownFromWire = ({ reading_hash, read_by }: NonNullable<RunnerTask['without_media']>): KnownReading => ({
  readingHash: Buffer.from(reading_hash, 'hex'),
  readBy: read_by,
})

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

export function markToWire({ etag, lastModified, bodyHash }: PageMark): RunnerMark {
  return { etag, last_modified: lastModified, body_hash: bodyHash && hexOf(bodyHash) }
}

export function markFromWire({ etag, last_modified, body_hash }: RunnerMark): PageMark {
  return { etag, lastModified: last_modified, bodyHash: body_hash === null ? null : Buffer.from(body_hash, 'hex') }
}
