import type { RunFaultCode } from '../../schema/run-fault.ts'
import type { Extractor } from '../extract/pool.ts'
import type { Fetched, FetchPorts, FetchRequest } from '../fetch/fetched.ts'
import { fetchPages } from '../fetch/paging/fetch-pages.ts'
import type { PageReader } from '../fetch/paging/page-reader.ts'
import { fetchStatic } from '../fetch/static-fetch.ts'
import type { PageMark, Reading } from './reading.ts'
import type { Task } from './task.ts'

/** The world of a check. */
export interface CheckPorts {
  /** From `createGuardedAgent`. */
  readonly agent: FetchPorts['agent']
  readonly extractor: Extractor
  /** Reads the pages of a list that comes in pages. */
  readonly pages: PageReader
  readonly signal: AbortSignal
  /** Milliseconds for the fetch, redirects included. Default 30,000; 45,000 for all pages of a list. */
  readonly deadlineMs?: number
  /** Told what the fetch gave, before its body is handed on: for those who show a check instead of recording it. */
  readonly onFetched?: (fetched: Fetched) => void
}

/** One check as a straight line: fetch, see whether anything changed at all, extract. Never rejects for what a site does. */
export async function check(task: Task, ports: CheckPorts): Promise<Reading> {
  const obstacle = task.obstacle ?? missingLayer(task)
  if (obstacle) return failed('not_available', obstacle)
  const fetched = await fetchTask(task, ports)
  if (ports.signal.aborted) return { kind: 'abandoned' }
  ports.onFetched?.(fetched)
  return read(task, fetched, ports)
}

function fetchTask(task: Task, ports: CheckPorts): Promise<Fetched> {
  const { request } = task
  const asked: FetchRequest = {
    url: task.url,
    headers: task.headers,
    method: request?.method ?? 'GET',
    body: request?.body ?? null,
    // Only a plain GET has a page to be conditional about.
    conditional: request ? null : task.last,
  }
  const { agent, signal, pages, deadlineMs } = ports
  const within = { agent, signal, ...(deadlineMs !== undefined && { deadlineMs }) }
  return request?.pagination ? fetchPages(asked, request.pagination, { ...within, pages }) : fetchStatic(asked, within)
}

async function read(task: Task, fetched: Fetched, ports: CheckPorts): Promise<Reading> {
  if (!fetched.ok)
    return { kind: 'failed', fetchMethod: 'static', fault: fetched.fault, retryAfterMs: fetched.retryAfterMs ?? 0 }
  const { etag, lastModified } = fetched
  if (fetched.kind === 'not_modified') return unchanged({ etag, lastModified, bodyHash: task.last?.bodyHash ?? null })
  const mark = { etag, lastModified, bodyHash: fetched.bodyHash }
  if (task.last?.bodyHash && sameBytes(task.last.bodyHash, fetched.bodyHash)) return unchanged(mark)
  const page = { body: fetched.body, contentType: fetched.contentType, url: fetched.finalUrl }
  const extraction = await ports.extractor.extract(page, task.extract, {
    signal: ports.signal,
    ...(task.no > 0 && { key: task.no }),
  })
  if (ports.signal.aborted) return { kind: 'abandoned' }
  if (!extraction.ok) return { kind: 'failed', fetchMethod: 'static', fault: extraction.fault, retryAfterMs: 0 }
  const { text, values, warnings } = extraction
  if (text !== undefined) return { kind: 'text', fetchMethod: 'static', mark, text, warnings }
  return { kind: 'values', fetchMethod: 'static', mark, values, warnings }
}

const unchanged = (mark: PageMark): Reading => ({ kind: 'unchanged', fetchMethod: 'static', mark })

/** What this version cannot do yet, in the words of the run's error; undefined when it can. */
function missingLayer(task: Task): string | undefined {
  if (task.queue === 'visual')
    return 'Screenshots need the browser layer, which this version does not have yet; disable visual_config to check the fields alone.'
  if (task.queue !== 'static')
    return 'Rendering needs the browser layer, which this version does not have yet; set fetch_mode to auto.'
  return undefined
}

function failed(code: RunFaultCode, message: string): Reading {
  return { kind: 'failed', fetchMethod: null, fault: { code, message }, retryAfterMs: 0 }
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
