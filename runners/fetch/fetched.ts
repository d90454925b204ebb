import type { Dispatcher } from 'undici'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { FetchLimits } from './fetch-limits.ts'

/** What a monitor asks for. `headers` and `body` are the user's own; ours are added. */
export interface FetchRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>> | null
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly body?: string | null
  /** The validators of the last answer; null asks for the whole. Only for an answer that was not redirected. */
  readonly conditional: Conditional | null
}

export interface Conditional {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** The world of a fetch. */
export interface FetchPorts {
  /** From `createGuardedAgent`: the walls are in it. */
  readonly agent: Dispatcher
  /** Ends the fetch early, e.g. at shutdown; the result is then an `internal` fault that nobody records. */
  readonly signal: AbortSignal | null
  /** Milliseconds for everything, redirects included. Default 30,000. */
  readonly deadlineMs?: number
  readonly limits?: FetchLimits
}

/** An answer with a body. */
export interface FetchedBody {
  readonly ok: true
  readonly kind: 'body'
  readonly status: number
  /** Where the answer came from; may hold query secrets, so never log it. */
  readonly finalUrl: string
  readonly redirected: boolean
  readonly contentType: string | null
  /** Validators for the next check; null after a redirect, which makes the next check unconditional. */
  readonly etag: string | null
  readonly lastModified: string | null
  /** Content-decoded; the charset is the reader's business. */
  readonly body: Uint8Array
  /** The first 16 bytes of SHA-256 over `body`. */
  readonly bodyHash: Uint8Array
  /** Bytes of body as they came over the wire, before decoding. */
  readonly wireBytes: number
  readonly durationMs: number
  /** `link` as it was sent, several joined to one list, for paging by Link header. */
  readonly link: string | null
}

/** 304 to a conditional request: the page is what it was. */
export interface NotModified {
  readonly ok: true
  readonly kind: 'not_modified'
  readonly status: 304
  readonly finalUrl: string
  readonly redirected: false
  /** Those of the 304, or those that were sent. */
  readonly etag: string | null
  readonly lastModified: string | null
  readonly wireBytes: 0
  readonly durationMs: number
}

export interface FetchFailed {
  readonly ok: false
  readonly fault: RunFault
  /** The status that was answered, or null when no answer came. */
  readonly status: number | null
  /** From Retry-After of a 429 or 503; at most 24 hours. */
  readonly retryAfterMs: number | null
  readonly durationMs: number
  /** Of an `internal` fault: what was thrown. For the log alone, it may name anything. */
  readonly cause?: unknown
}

export type Fetched = FetchedBody | NotModified | FetchFailed
