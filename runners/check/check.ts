import type { Slots } from '../../concurrency/gates/slots.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { FetchMethod } from '../../schema/run/run.ts'
import type { Browsers } from '../browser/browsers.ts'
import type { Shot } from '../browser/page/shot.ts'
import type { Extraction, Page } from '../extract/page.ts'
import type { Extractor } from '../extract/pool/extractor.ts'
import { BodyRoom } from '../fetch/body-room.ts'
import type { Fetched, FetchFailed, FetchPorts, FetchRequest } from '../fetch/fetched.ts'
import { fetchPages } from '../fetch/paging/fetch-pages.ts'
import type { PageReader } from '../fetch/paging/page-reader.ts'
import { fetchStatic } from '../fetch/static-fetch.ts'
import type { SearchMeans } from '../serp/search-reading.ts'
import { factsOf } from './fetched-facts.ts'
import { fromOf } from './from-layer.ts'
import { byProxy, howUnrendered, renderRequestOf, type Layered, type ProxyPort } from './last-resort.ts'
import { lookOf } from './look-of.ts'
import { findsMore } from './missing-match.ts'
import { mayBeShell, whyUnread } from './needs-browser.ts'
import { nextLayer } from './next-layer.ts'
import { hintOf, readingOf, warningsOf } from './reading-of.ts'
import type { PageMark, Reading } from './reading.ts'
import { isSameReading } from './same-reading.ts'
import { sparingMedia } from './sparing-media.ts'
import type { PageTask } from './task.ts'

type Moved = Extract<Reading, { kind: 'moved' }>
type Failed = Extract<Reading, { kind: 'failed' }>

/** The result of a layer, and the request that it was given. */
interface Answer {
  readonly layer: FetchMethod
  readonly fetched: Fetched
  readonly request: FetchRequest
}

/** What checks depend on; those of a kind, on some of it. */
export interface CheckPorts {
  /** From `createGuardedAgent`. */
  readonly agent: FetchPorts['agent']
  readonly extractor: Extractor
  /** Reads the pages of a list that comes in pages. */
  readonly pages: PageReader
  readonly signal: AbortSignal
  /** Who may hold a large body. Absent: nobody waits for it. */
  readonly bodies?: Slots | undefined
  /** Milliseconds for the fetch, redirects included. Default 30,000; 45,000 for all pages of a list. */
  readonly deadlineMs?: number
  /** The last resort of a refused check; absent: this installation has none. */
  readonly proxy?: ProxyPort | undefined
  /**
   * Renders pages. `elsewhere`: checks that need it are moved to a runner that has a browser. Absent: there is none.
   */
  readonly browser?: Pick<Browsers, 'render'> | 'elsewhere' | undefined
  /** Asks search engines. Absent: checks of searches fail. */
  readonly search?: SearchMeans | undefined
  /**
   * Receives the result of the fetch before its body is passed on, for callers that show a check instead of recording
   * it.
   */
  readonly onFetched?: (fetched: Fetched) => void
}

/** What one check depends on. */
interface RoomyPorts extends CheckPorts {
  readonly room?: BodyRoom
}

/** Checks a page: fetch, detect an unchanged page, extract. Never rejects because of a site's behaviour. */
export async function check(task: PageTask, ports: CheckPorts): Promise<Reading> {
  if (!ports.bodies) return checkWithin(task, ports)
  const room = new BodyRoom(ports.bodies, task.teamKey ?? '', ports.signal)
  try {
    return await checkWithin(task, { ...ports, room })
  } finally {
    room.leave()
  }
}

async function checkWithin(task: PageTask, ports: RoomyPorts): Promise<Reading> {
  const obstacle = task.obstacle ?? missingLayer(task, ports)
  if (obstacle) return failure({ code: 'not_available', message: obstacle }, NO_LAYER)
  if (task.rendersMissing === true) return checkForMissing(task, ports)
  return task.triesStatic ? checkBothWays(task, ports) : checkOneWay(task, ports)
}

const checkOneWay = (task: PageTask, ports: RoomyPorts): Promise<Reading> =>
  sparingMedia(task, (asked) => checkOnce(asked, ports))

/** Checks once. What the task says of media holds for all of its layers. */
async function checkOnce(task: PageTask, ports: RoomyPorts): Promise<Reading> {
  const layered = await throughLayers(task, ports)
  if (ports.signal.aborted) return { kind: 'abandoned' }
  if ('kind' in layered) return layered
  const reading = await readLayer(task, layered, ports)
  if (reading !== SHELL || ports.browser === 'elsewhere') return reading
  const rendered = await render({ ...task, reason: 'needs_scripts' }, requestOf(task), ports)
  return ports.signal.aborted ? { kind: 'abandoned' } : readLayer(task, rendered, ports)
}

/** The reading of a page that a script still has to fill, so that it has to be rendered first. */
const SHELL: Moved = { kind: 'moved', queue: 'browser', reason: 'needs_scripts' }

/** Reads the answer of a layer. */
async function readLayer(task: PageTask, layered: Layered, ports: RoomyPorts): Promise<Reading> {
  ports.onFetched?.(layered.fetched)
  // Before the body is read: a large one is moved to a thread.
  const fetched = task.asksFetched === true ? factsOf(layered.fetched) : undefined
  const reading = task.looks === true ? await look(task, layered, ports) : await read(task, layered, ports)
  return fetched && (reading.kind === 'failed' || reading.kind === 'look' || 'warnings' in reading)
    ? { ...reading, fetched }
    : reading
}

/** Fetches a page directly, as it is sent, and reads nothing of it. */
export const fetchAsSent = (task: PageTask, ports: CheckPorts): Promise<Fetched> =>
  fetchDirectly(requestOf(task), task, ports)

/**
 * Checks a page that needed a browser before. It returns to the static layer only when that reads exactly the same now:
 * the hash of the sent page always differs from that of the rendered page, and the return must not look like a change.
 */
async function checkBothWays(task: PageTask, ports: RoomyPorts): Promise<Reading> {
  // Without the last page nothing is skipped for being unchanged: there are two readings to compare.
  const rendered = await checkOneWay({ ...task, last: null }, ports)
  if (rendered.kind !== 'values' && rendered.kind !== 'text') return rendered
  const asSent = await readAsSent(task, ports)
  return { ...rendered, remember: asSent && isSameReading(rendered, asSent) ? 'static' : 'browser' }
}

/**
 * Checks a page whose rules had no match in what is sent. Only what a browser finds more is worth a browser: otherwise
 * the direct reading is the outcome, also where the browser fails.
 */
async function checkForMissing(task: PageTask, ports: RoomyPorts): Promise<Reading> {
  const rendered = await checkOneWay({ ...task, last: null }, ports)
  if (rendered.kind === 'abandoned') return rendered
  const asSent = await readAsSent(task, ports)
  if (ports.signal.aborted) return { kind: 'abandoned' }
  if (asSent?.kind !== 'values') return rendered.kind === 'values' ? { ...rendered, remember: 'browser' } : rendered
  if (findsMore(rendered, asSent, task)) return { ...rendered, remember: 'browser' }
  return { ...asSent, remember: 'static' }
}

/** Returns the reading of the static layer alone; null when the next check would have to render the page again. */
async function readAsSent(task: PageTask, ports: RoomyPorts): Promise<Reading | null> {
  const alone: PageTask = { ...task, queue: 'static', last: null }
  const fetched = await fetchDirectly(requestOf(alone), alone, ports)
  if (ports.signal.aborted || whyUnread(alone, fetched) !== null) return null
  const reading = await read(alone, { method: 'static', reason: null, fetched }, ports)
  return reading === SHELL ? null : reading
}

/** Tries one layer after another until one is not refused. */
async function throughLayers(task: PageTask, ports: RoomyPorts): Promise<Layered | Moved> {
  const request = requestOf(task)
  if (task.queue !== 'static') return render(task, request, ports)
  const fetched = await fetchDirectly(request, task, ports)
  if (ports.signal.aborted) return { method: 'static', reason: null, fetched }
  const reason = ports.browser ? whyUnread(task, fetched) : null
  if (reason === null) return fallBack(task, { layer: 'static', fetched, request }, ports)
  return ports.browser === 'elsewhere'
    ? { kind: 'moved', queue: 'browser', reason }
    : render({ ...task, reason }, request, ports)
}

async function render(task: PageTask, request: FetchRequest, ports: RoomyPorts): Promise<Layered> {
  const { browser, signal, deadlineMs } = ports
  if (!browser || browser === 'elsewhere') throw new TypeError('this process renders nothing')
  const fetched = await browser.render(renderRequestOf(task), {
    signal,
    ...(deadlineMs !== undefined && { deadlineMs }),
  })
  return fallBack(task, { layer: 'browser', fetched, request }, ports)
}

/** Tries the proxy when the layers before it were refused. */
async function fallBack(
  task: PageTask,
  answer: Answer,
  { proxy, browser, signal, room }: RoomyPorts,
): Promise<Layered> {
  const { layer, fetched, request } = answer
  const reason = layer === 'browser' ? task.reason : null
  if (fetched.ok || !proxy || signal.aborted) return { method: layer, reason, fetched }
  const failure = { layer, code: fetched.fault.code, status: fetched.status, retryAfterMs: fetched.retryAfterMs }
  const next = nextLayer(failure, { isDirect: task.request !== null, hasBrowser: false, hasProxy: true })
  if (next !== 'proxy') return { method: layer, reason, fetched }
  const renders = layer === 'browser' && browser !== 'elsewhere' ? (browser ?? null) : null
  return byProxy(task, { layer, reason, fetched, request }, { proxy, browser: renders, signal, room })
}

function requestOf({ url, headers, request, last }: PageTask): FetchRequest {
  return {
    url,
    headers,
    method: request?.method ?? 'GET',
    body: request?.body ?? null,
    // Conditional headers are sent only with a plain GET.
    conditional: request ? null : last,
    ...(request && { refusedAs: 'direct' }),
  }
}

function fetchDirectly(asked: FetchRequest, { request, teamKey }: PageTask, ports: RoomyPorts): Promise<Fetched> {
  const { agent, signal, pages, room, deadlineMs } = ports
  const within = { agent, team: teamKey, signal, room, ...(deadlineMs !== undefined && { deadlineMs }) }
  return request?.pagination ? fetchPages(asked, request.pagination, { ...within, pages }) : fetchStatic(asked, within)
}

/** Returns what somebody sees of a rendered page. */
async function look(task: PageTask, layered: Layered, ports: RoomyPorts): Promise<Reading> {
  const { fetched } = layered
  const from = fromOf(layered)
  if (!fetched.ok) return failedFetch(fetched, from)
  if (fetched.kind === 'not_modified') throw new TypeError('a look sends no condition')
  return { kind: 'look', ...from, look: await lookOf(fetched, ports, warningsOf(fetched, task)) }
}

async function read(task: PageTask, layered: Layered, ports: RoomyPorts): Promise<Reading> {
  const { fetched } = layered
  const from = fromOf(layered)
  if (!fetched.ok) return failedFetch(fetched, from)
  const { etag, lastModified } = fetched
  if (fetched.kind === 'not_modified')
    return unchanged(from, { etag, lastModified, bodyHash: task.last?.bodyHash ?? null })
  const mark = { etag, lastModified, bodyHash: fetched.bodyHash }
  const shots = task.visual?.enabled ? shotsOf(fetched) : undefined
  // Pictures can differ where the document does not.
  if (!shots && task.last?.bodyHash && sameBytes(task.last.bodyHash, fetched.bodyHash)) return unchanged(from, mark)
  const page = { body: fetched.body, contentType: fetched.contentType, url: fetched.finalUrl }
  const extraction = await extracted(page, task, { ports, unlessShell: isToMeasure(task, layered, ports) })
  if (ports.signal.aborted) return { kind: 'abandoned' }
  if (!extraction.ok) return failure(extraction.fault, from)
  if (extraction.isShell) return SHELL
  const about = {
    ...from,
    mark,
    ...(shots && { shots }),
    ...hintOf(extraction, task, { ...page, method: layered.method }),
  }
  return readingOf(extraction, about, warningsOf(fetched, task))
}

/** Returns whether a page has to be measured: one that was fetched directly, where a browser can render it. */
const isToMeasure = (task: PageTask, { method, fetched }: Layered, { browser }: CheckPorts): boolean =>
  method === 'static' && browser !== undefined && mayBeShell(task, fetched)

interface Extracting {
  readonly ports: RoomyPorts
  readonly unlessShell: boolean
}

const extracted = (page: Page, task: PageTask, { ports, unlessShell }: Extracting): Promise<Extraction> =>
  ports.extractor.extract(page, task.extract, {
    signal: ports.signal,
    runId: task.runId,
    team: task.teamKey,
    unlessShell,
    ...(task.no > 0 && { key: task.no }),
  })

/** The layer of a result, and why it is not the first one. */
type From = Pick<Failed, 'fetchMethod' | 'fetchReason'>
/** Returns the pictures of a page. There are none unless a browser showed it. */
const shotsOf = (fetched: Fetched & { readonly shots?: readonly Shot[] }): readonly Shot[] => fetched.shots ?? []

const unchanged = (from: ReturnType<typeof fromOf>, mark: PageMark): Reading => ({
  kind: 'unchanged',
  ...from,
  mark,
})

/** Returns what this process cannot do, as the message of the run's error; undefined when it can. */
function missingLayer(task: PageTask, { browser }: CheckPorts): string | undefined {
  const { queue } = task
  if (queue === 'static' || (browser && browser !== 'elsewhere')) return undefined
  return queue === 'visual'
    ? 'Screenshots need the browser layer, which this process does not have; disable visual_config to check the ' +
        'fields alone.'
    : 'Rendering needs the browser layer, which this process does not have; ' +
        `${howUnrendered(task) ?? 'watch another page'}.`
}

const NO_LAYER: From = { fetchMethod: null }

const failure = (fault: RunFault, from: From): Failed => ({ kind: 'failed', ...from, fault, retryAfterMs: 0 })

function failedFetch({ fault, retryAfterMs, status, cause }: FetchFailed, from: From): Failed {
  return { ...failure(fault, from), retryAfterMs: retryAfterMs ?? 0, status, ...(cause !== undefined && { cause }) }
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
