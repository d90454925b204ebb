import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { createOutage, type Outage, type OutageLog } from '../concurrency/loops/outage.ts'
import type { RequestTrace, TracedCheck, Tracer } from '../core/tracer.ts'

interface OtlpTracerOptions {
  /** The base address of a collector, as in http://127.0.0.1:4318. Spans go to /v1/traces below it. */
  readonly endpoint: string
  /** Headers of each request, as `key=value` pairs; they may hold a key. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** Of a hundred traces so many are sent. */
  readonly percent: number
  readonly log: OutageLog
}

/** Kinds of spans by OTLP. */
const KIND = { internal: 1, server: 2, client: 3 } as const

type AttributeValue = string | number | boolean | null

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string | undefined
  readonly name: string
  readonly kind: keyof typeof KIND
  /** As `performance.now()`. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, AttributeValue>>
  readonly isError?: boolean
  /** Runs that are traced elsewhere. */
  readonly runs?: readonly string[]
}

const BATCH = 512
/** What waits while the collector is slow; more is dropped. */
const MAX_WAITING = 4_096
const BATCH_WAIT_MS = 1_000
const SEND_MS = 5_000

/**
 * Returns a tracer that sends spans as OTLP over HTTP, in JSON. The collector is named by the settings, so it is
 * reached directly and not through the egress guard. A collector that is away is logged once; its spans are dropped.
 */
export function createOtlpTracer(options: OtlpTracerOptions): Tracer {
  const queue = createQueue(options)
  const fetchedAt = new WeakMap<object, number>()
  const isSampled = (traceId: string) => shareOf(traceId) * 100 < options.percent

  function add(span: Span): void {
    if (isSampled(span.traceId)) queue.add(span)
  }

  return {
    fetched: (task) => void fetchedAt.set(task, performance.now()),
    check: (check) => checkSpans(check, fetchedAt.get(check.task)).forEach(add),
    delivery(delivery) {
      const { runId, deliveryId, type, host, attempt, status, responseStatus, startedAt } = delivery
      add({
        traceId: traceOf(runId),
        spanId: newSpanId(),
        parentSpanId: rootOf(runId),
        name: `delivery ${type}`,
        kind: 'client',
        startedAt,
        endedAt: performance.now(),
        isError: status !== 'success',
        attributes: {
          'tidemark.delivery_id': deliveryId,
          'server.address': host,
          'tidemark.attempt': attempt,
          'tidemark.status': status,
          'http.response.status_code': responseStatus,
        },
      })
    },
    beginRequest: (traceparent) => new ApiTrace(traceparent),
    endRequest(trace, { requestId, method, route, status, ms, monitorId }) {
      if (!(trace instanceof ApiTrace)) return
      const endedAt = performance.now()
      const { traceId, spanId, parentSpanId, runs } = trace
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'tidemark.request_id': requestId,
        'tidemark.monitor_id': monitorId,
      }
      const ids = { traceId, spanId, parentSpanId, runs }
      const times = { startedAt: endedAt - ms, endedAt, isError: status >= 500 }
      add({ ...ids, ...times, name: `${method} ${route}`, kind: 'server', attributes })
    },
    close: () => queue.close(),
  }
}

/** The trace of a request: the caller's, or a new one. */
class ApiTrace implements RequestTrace {
  traceId: string
  readonly spanId = newSpanId()
  readonly parentSpanId: string | undefined
  readonly runs: string[] = []

  constructor(traceparent: string | undefined) {
    const [, traceId, parentSpanId] = TRACEPARENT.exec(traceparent ?? '') ?? []
    this.traceId = traceId ?? randomBytes(16).toString('hex')
    this.parentSpanId = parentSpanId
  }

  startedRun(runId: string): void {
    if (this.parentSpanId === undefined) this.traceId = traceOf(runId)
    else this.runs.push(runId)
  }

  get header(): string {
    return `00-${this.traceId}-${this.spanId}-01`
  }
}

/** Zeros alone are not an id. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

/** A run's id has 128 bits, as a trace's has. The last 64 of them are the id of the first span. */
const traceOf = (runId: string): string => runId.replaceAll('-', '')
const rootOf = (runId: string): string => traceOf(runId).slice(16)
const newSpanId = (): string => randomBytes(8).toString('hex')

/** Returns a number from 0 to 1 that is the same for a trace in all processes (FNV-1a). */
function shareOf(traceId: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < traceId.length; at++) hash = Math.imul(hash ^ traceId.charCodeAt(at), 0x01000193) >>> 0
  return hash / 2 ** 32
}

/** Returns the spans of a check: the whole, and its parts from the claim to the record. */
function checkSpans(check: TracedCheck, fetchedAt: number | undefined): Span[] {
  const { runId, monitorId, layer, outcome, fired, code, claimedAt, startedAt, endedAt } = check
  const recordedAt = performance.now()
  const traceId = traceOf(runId)
  const root = rootOf(runId)
  const part = (name: string, from: number, to: number): Span => {
    const ids = { traceId, spanId: newSpanId(), parentSpanId: root }
    return { ...ids, name, kind: 'internal', startedAt: from, endedAt: Math.max(from, to), attributes: {} }
  }
  const attributes = {
    'tidemark.run_id': runId,
    'tidemark.monitor_id': monitorId,
    'tidemark.layer': layer,
    'tidemark.outcome': outcome,
    'tidemark.fired': fired,
    'error.type': code,
  }
  const whole = { name: 'check', kind: 'internal', startedAt: claimedAt, endedAt: recordedAt, attributes } as const
  // A runner fetches and extracts elsewhere, and says only when both were done.
  const work =
    fetchedAt === undefined
      ? [part('fetch and extract', startedAt, endedAt)]
      : [part('fetch', startedAt, fetchedAt), part('extract', fetchedAt, endedAt)]
  return [
    { traceId, spanId: root, ...whole, isError: code !== null },
    part('wait', claimedAt, startedAt),
    ...work,
    part('record', endedAt, recordedAt),
  ]
}

interface SpanQueue {
  add(span: Span): void
  close(): Promise<void>
}

/** Sends spans in batches, one at a time. */
function createQueue({ endpoint, headers, serviceName, log }: OtlpTracerOptions): SpanQueue {
  const outage = createOutage({ what: 'the trace collector', log, isAway: () => true, reasonOf: messageOf })
  const url = new URL(`${endpoint.replace(/\/+$/, '')}/v1/traces`)
  let waiting: Span[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | null = null

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      await send({ url, headers, outage }, JSON.stringify(batchOf(serviceName, spans)))
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    return (sending ??= sendAll().finally(() => (sending = null)))
  }

  return {
    add(span) {
      if (waiting.length >= MAX_WAITING) return void outage.covers(new Error('too many spans wait'), 'dropped spans')
      waiting.push(span)
      if (waiting.length >= BATCH) void flush()
      else timer ??= setTimeout(() => void flush(), BATCH_WAIT_MS).unref()
    },
    close: flush,
  }
}

interface Collector {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly outage: Outage
}

/** Never rejects: spans that are not taken are dropped. */
function send({ url, headers, outage }: Collector, body: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const fail = (error: Error) => {
    outage.covers(error, 'batches of spans')
    resolve()
  }
  const asked = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    signal: AbortSignal.timeout(SEND_MS),
  })
  asked.on('error', fail)
  asked.on('response', (answer) => {
    answer.resume()
    const { statusCode = 0 } = answer
    if (statusCode < 200 || statusCode > 299) return fail(new Error(`the collector answered ${statusCode}`))
    outage.answered()
    resolve()
  })
  asked.end(body)
  return promise
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function batchOf(serviceName: string, spans: readonly Span[]): object {
  const resource = { attributes: attributesOf({ 'service.name': serviceName }) }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'tidemark' }, spans: spans.map(toOtlp) }] }] }
}

function toOtlp({ startedAt, endedAt, kind, attributes, isError = false, runs = [], ...ids }: Span): object {
  return {
    ...ids,
    kind: KIND[kind],
    startTimeUnixNano: nanos(startedAt),
    endTimeUnixNano: nanos(endedAt),
    attributes: attributesOf(attributes),
    status: { code: isError ? 2 : 0 },
    links: runs.map((runId) => ({ traceId: traceOf(runId), spanId: rootOf(runId) })),
  }
}

/** 64-bit integers are text in OTLP's JSON. */
const nanos = (at: number): string => String(BigInt(Math.round((performance.timeOrigin + at) * 1_000)) * 1_000n)

function attributesOf(attributes: Readonly<Record<string, AttributeValue>>): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [{ key, value: valueOf(value) }]))
}

function valueOf(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value }
  return typeof value === 'number' ? { intValue: String(value) } : { boolValue: value }
}
