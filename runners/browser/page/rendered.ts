import type { EgressProxy } from '../../../egress/egress-proxy.ts'
import type { VisualConfig } from '../../../schema/monitor/visual-config.ts'
import type { FetchedBody, FetchFailed } from '../../fetch/fetched.ts'
import type { SeenPage } from '../look/look-page.ts'
import type { Shot } from './shot.ts'

/** A page to be rendered. */
export interface RenderRequest {
  readonly url: string
  /** The user's headers; sent only to the origin of `url`. */
  readonly headers: Readonly<Record<string, string>> | null
  /** A CSS selector of what has to be on the page before it is read. Null or absent: it is read when it is at rest. */
  readonly waitFor?: string | null
  /** What to take pictures of; null: nothing. */
  readonly visual: VisualConfig | null
  /** Lists the elements that a person sees, too. Absent: no. */
  readonly looks?: boolean
  /** Leaves out images, fonts, video and sound, for a page of which no picture is taken. Absent: no. */
  readonly withoutMedia?: boolean
  /** What a person can set so that the page is not rendered, as an imperative; null or absent: nothing. */
  readonly unrendered?: string | null
  /** An opaque key of the team that the page is for. Absent: it is nobody's. */
  readonly team?: string | undefined
}

export interface RenderPorts {
  readonly signal: AbortSignal
  /** Milliseconds for everything, without the wait for a free slot. Default 60,000. */
  readonly deadlineMs?: number
  /** The egress proxy of this page; absent: the browser's own, which connects directly. */
  readonly egress?: EgressProxy | undefined
}

/** A page at rest: `body` is the document's HTML as UTF-8, or what the server sent where that is not HTML. */
interface RenderedBody extends FetchedBody {
  readonly shots: readonly Shot[]
  /** Where the request looks, and the page is HTML. */
  readonly seen?: SeenPage
  /** It was rendered without its media, and looks as if it misses them. Absent: it does not. */
  readonly missesMedia?: boolean
  /** Sentences for the run's `warnings`. */
  readonly warnings: readonly string[]
}

/** The same type as a fetch returns, so that later steps need not know which ran. */
export type Rendered = RenderedBody | FetchFailed

/** Milliseconds. */
export const RENDER_DEADLINE_MS = 60_000
