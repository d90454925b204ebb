import type { Dispatcher } from 'undici'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { BodyRoom } from './body-room.ts'
import type { RefusedLayer } from './fetch-faults.ts'
import type { FetchLimits } from './fetch-limits.ts'

/** The request of a monitor. `headers` and `body` are the user's; the default headers are added to them. */
export interface FetchRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>> | null
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly body?: string | null
  /**
   * The validators of the last response. Null requests the whole page. Set it only for a response that was not
   * redirected.
   */
  readonly conditional: Conditional | null
  /** The layer that the advice after a refusal is for. Default `static`. */
  readonly refusedAs?: RefusedLayer
}

interface Conditional {
  readonly etag: string | null
  readonly lastModified: string | null
}

/** What a fetch depends on. */
export interface FetchPorts {
  /** From `createGuardedAgent`: it contains the egress guard. */
  readonly agent: Dispatcher
  /** An opaque key of the team that the fetch is for. Default '': it is nobody's. */
  readonly team?: string | undefined
  /** Ends the fetch early, e.g. at shutdown. The result is then an `internal` fault that is not recorded. */
  readonly signal: AbortSignal | null
  /** Milliseconds for everything, redirects included. Default 30,000. */
  readonly deadlineMs?: number
  readonly limits?: FetchLimits
  /** Room for a large body. Absent: it needs none. */
  readonly room?: BodyRoom | undefined
}

/** A response with a body. */
export interface FetchedBody {
  readonly ok: true
  readonly kind: 'body'
  readonly status: number
  /** The URL of the response. It may contain secrets in its query, so never log it. */
  readonly finalUrl: string
  readonly redirected: boolean
  readonly contentType: string | null
  /** Validators for the next check; null after a redirect, which makes the next check unconditional. */
  readonly etag: string | null
  readonly lastModified: string | null
  /** Content-decoded. The reader decodes the charset. */
  readonly body: Uint8Array
  /** The first 16 bytes of SHA-256 over `body`. */
  readonly bodyHash: Uint8Array
  /** Bytes of the body on the wire, before decoding. */
  readonly wireBytes: number
  readonly durationMs: number
  /** Sentences for the run's `warnings`; absent: none. */
  readonly warnings?: readonly string[]
  /** The `link` header for paging. Several headers are joined to one list. */
  readonly link: string | null
}

/** 304 to a conditional request: the page has not changed. */
export interface NotModified {
  readonly ok: true
  readonly kind: 'not_modified'
  readonly status: 304
  readonly finalUrl: string
  readonly redirected: false
  /** The validators of the 304, or those that were sent. */
  readonly etag: string | null
  readonly lastModified: string | null
  readonly wireBytes: 0
  readonly durationMs: number
}

export interface FetchFailed {
  readonly ok: false
  readonly fault: RunFault
  /** The status of the response, or null when none came. */
  readonly status: number | null
  /** From Retry-After of a 429 or 503; at most 24 hours. */
  readonly retryAfterMs: number | null
  readonly durationMs: number
  /** The answer has a content encoding that only a browser reads here. */
  readonly onlyBrowserReads?: true
  /** What was thrown, for an `internal` fault. Only for the log: it may contain anything. */
  readonly cause?: unknown
}

export type Fetched = FetchedBody | NotModified | FetchFailed
