import type { DocumentKind, LookDocument } from '../../schema/monitor/look.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { FetchReason } from '../../schema/run/run.ts'
import { isJsonType, markupKind, mediaType } from '../extract/text/page-kind.ts'
import type { Fetched } from '../fetch/fetched.ts'
import type { PageLook } from './look-of.ts'

/** What a look found. */
export interface Looked {
  readonly fetched: Got
  readonly rendered: Got
  /** What the browser shows; null: it shows nothing. */
  readonly look: PageLook | null
  /** Why a check would use a browser; null: it would not. */
  readonly reason: FetchReason | null
  /** All of it failed because of this installation, so nobody pays for it. */
  readonly isOurFault: boolean
}

/** A document as it came. */
export interface KeptDocument {
  readonly body: Uint8Array
  readonly contentType: string | null
  /** The address that answered. */
  readonly url: string
}

/** The result of one of the two ways to get a document. */
export interface Got {
  readonly about: LookDocument
  /** Null: it is not there. */
  readonly document: KeptDocument | null
}

const NOTHING = {
  is_there: false,
  kind: null,
  url: null,
  http_status: null,
  content_type: null,
  bytes: null,
  duration_ms: null,
  error_code: null,
  error_message: null,
} as const satisfies LookDocument

/** Returns what is said of a document that nobody asked for. */
export const notAsked = (): Got => ({ about: NOTHING, document: null })

export function failedGot(fault: RunFault, status: number | null, durationMs: number | null): Got {
  const { code: error_code, message } = fault
  const duration_ms = durationMs === null ? null : Math.round(durationMs)
  const error_message = message.slice(0, 2000)
  return { about: { ...NOTHING, http_status: status, duration_ms, error_code, error_message }, document: null }
}

function gotOf(page: KeptDocument & { readonly status: number; readonly durationMs: number | null }): Got {
  const { body, contentType, url, status, durationMs } = page
  return {
    about: {
      ...NOTHING,
      is_there: true,
      kind: kindOf(page),
      url: url.slice(0, 16_384),
      http_status: status,
      content_type: contentType?.slice(0, 1000) ?? null,
      bytes: body.byteLength,
      duration_ms: durationMs === null ? null : Math.round(durationMs),
    },
    document: { body, contentType, url },
  }
}

export function fetchedGot(fetched: Fetched): Got {
  if (!fetched.ok) return failedGot(fetched.fault, fetched.status, fetched.durationMs)
  if (fetched.kind === 'not_modified') throw new TypeError('a look sends no condition')
  return gotOf({ ...fetched, url: fetched.finalUrl })
}

export const renderedGot = (look: PageLook, durationMs: number): Got => gotOf({ ...look, durationMs })

const FEED = /<(?:rss|feed|rdf:RDF)[\s>]/
const FEED_CHARS = 4_096
const FEED_TYPE = /^application\/(?:rss|atom|rdf)\+xml$/

/** Returns what a document is, as rules read it. */
function kindOf({ body, contentType, url }: KeptDocument): DocumentKind {
  const type = mediaType(contentType)
  if (FEED_TYPE.test(type)) return 'feed'
  if (type === 'application/feed+json') return 'feed'
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, FEED_CHARS)).toString('latin1')
  if (isJsonType(type) || (type !== 'text/html' && /^\s*[[{]/.test(head) && isJson(body))) return 'json'
  if (type !== '' && !/^(?:text\/|application\/(?:xhtml\+)?xml|.*\+xml$)/.test(type)) return 'other'
  if (markupKind({ body, contentType, url }) === 'xml') return FEED.test(head.replaceAll('\0', '')) ? 'feed' : 'xml'
  return type === 'text/html' ||
    type === 'application/xhtml+xml' ||
    /<(?:!doctype html|html|body|head|[a-z])/i.test(head)
    ? 'html'
    : 'other'
}

const JSON_BYTES = 1024 * 1024

/** A large one is taken for what its beginning says. */
function isJson(body: Uint8Array): boolean {
  if (body.byteLength > JSON_BYTES) return true
  try {
    JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
    return true
  } catch {
    return false
  }
}
