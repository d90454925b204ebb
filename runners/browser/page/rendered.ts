import type { VisualConfig } from '../../../schema/monitor/visual-config.ts'
import type { FetchedBody, FetchFailed } from '../../fetch/fetched.ts'
import type { Shot } from './shot.ts'

/** A page to be rendered. */
export interface RenderRequest {
  readonly url: string
  /** The user's own; sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>> | null
  /** What to take pictures of; null: nothing. */
  readonly visual: VisualConfig | null
}

export interface RenderPorts {
  readonly signal: AbortSignal
  /** Milliseconds for everything, the wait for a free place not included. Default 60,000. */
  readonly deadlineMs?: number
}

/**
 * A page as it stood when it had come to rest: `body` is the document's HTML as UTF-8, or what the server sent where
 * that is no HTML.
 */
export interface RenderedBody extends FetchedBody {
  readonly shots: readonly Shot[]
  /** Sentences for the run's `warnings`. */
  readonly warnings: readonly string[]
}

/** As a fetch gives it, so that what follows need not know who fetched. */
export type Rendered = RenderedBody | FetchFailed

/** Milliseconds. */
export const RENDER_DEADLINE_MS = 60_000
