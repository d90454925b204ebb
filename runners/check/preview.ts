import type { MonitorSpec } from '../../schema/monitor.ts'
import type { Preview } from '../../schema/preview.ts'
import type { RunFault } from '../../schema/run-fault.ts'
import { monitorQueue } from '../../store/monitor-queue.ts'
import type { Fetched } from '../fetch/fetched.ts'
import { check } from './check.ts'
import type { CheckPorts } from './check.ts'
import type { Task } from './task.ts'

/** The part of a monitor that says what a run fetches and reads. */
export type Previewed = Pick<
  MonitorSpec,
  'url' | 'extract_config' | 'fetch_mode' | 'request_config' | 'request_headers' | 'visual_config'
>

/**
 * A check of a configuration that nothing is known of and nothing is recorded for: the very path of a run. Null when the signal ended it. Never
 * rejects for what a site does.
 */
export async function preview(config: Previewed, ports: Omit<CheckPorts, 'onFetched'>): Promise<Preview | null> {
  const startedAt = performance.now()
  let fetched: Fetched | null = null
  // Read at once: a large body is handed on to a thread and is gone then.
  let bytes: number | null = null
  const onFetched = (given: Fetched): void => {
    fetched = given
    if (given.ok && given.kind === 'body') bytes = given.body.byteLength
  }
  const reading = await check(taskOf(config), { ...ports, onFetched })
  const durationMs = performance.now() - startedAt
  const facts = { ...fetchFacts(fetched, durationMs), bytes, duration_ms: Math.round(durationMs) }
  switch (reading.kind) {
    case 'abandoned':
      return null
    case 'failed':
      return { ...facts, ...failure(reading.fault), fetch_method: reading.fetchMethod }
    case 'unchanged':
      throw new Error('a check without a last page cannot find it unchanged')
    case 'values':
      return {
        ...facts,
        status: 'success',
        fields: reading.values,
        fetch_method: reading.fetchMethod,
        warnings: [...reading.warnings],
        error_code: null,
        error_message: null,
      }
  }
}

/** What a failed check has instead of values. */
export function failure({
  code,
  message,
}: RunFault): Pick<Preview, 'status' | 'fields' | 'warnings' | 'error_code' | 'error_message'> {
  return { status: 'error', fields: {}, warnings: [], error_code: code, error_message: message }
}

function fetchFacts(fetched: Fetched | null, durationMs: number) {
  const fetchMs = fetched === null ? null : Math.round(fetched.durationMs)
  const isRead = fetched !== null && fetched.ok && fetched.kind === 'body'
  return {
    http_status: fetched?.status ?? null,
    content_type: isRead ? (fetched.contentType?.slice(0, 1000) ?? null) : null,
    fetch_ms: fetchMs,
    extract_ms: isRead ? Math.round(Math.max(0, durationMs - fetched.durationMs)) : null,
  }
}

function taskOf(config: Previewed): Task {
  return {
    no: 0,
    fence: 0,
    runId: '',
    monitorId: '',
    queue: monitorQueue(config),
    url: config.url,
    host: '',
    extract: config.extract_config,
    request: config.request_config,
    headers: config.request_headers,
    obstacle: null,
    last: null,
    dueMs: null,
    claimedMs: 0,
    claimedAt: 0,
  }
}
