import type { RunFault } from '../../schema/run/run-fault.ts'
import type { FetchMethod, FetchReason } from '../../schema/run/run.ts'
import type { EngineFailure, SearchReading } from '../../schema/serp/search-reading.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Shot } from '../browser/page/shot.ts'
import type { Scripts } from '../extract/page.ts'
import type { PageLook } from './look-of.ts'

/** What lets the next fetch of a page detect that nothing changed. */
export interface PageMark {
  readonly etag: string | null
  readonly lastModified: string | null
  /** First 16 bytes of the body's SHA-256. */
  readonly bodyHash: Uint8Array | null
}

/** How the answer was fetched. `bytes`: of the decoded body; null: none was read. */
export interface FetchedFacts {
  readonly status: number | null
  readonly contentType: string | null
  readonly bytes: number | null
  readonly durationMs: number
}

/** The layer that the next checks use; absent: the current one. */
type Remembered = 'static' | 'browser'

/** How a page was rendered for which media may be left out. */
interface OfMedia {
  /** It was rendered without its media. Absent: with them, or not at all. */
  readonly withoutMedia?: boolean
  /** It reads otherwise without its media. Absent: that was not seen. */
  readonly needsMedia?: boolean
}

/** The outcome of a check. `fetchReason` says why the layer is not the first one; absent or null: it is. */
export type Reading =
  /** The page needs another layer: the same run continues in that queue, which is remembered. */
  | { readonly kind: 'moved'; readonly queue: 'browser'; readonly reason: FetchReason }
  /** The same page as last time: nothing was parsed. */
  | ({
      readonly kind: 'unchanged'
      readonly fetchMethod: FetchMethod
      readonly fetchReason?: FetchReason | null
      readonly mark: PageMark
      readonly remember?: Remembered
    } & OfMedia)
  | ({
      readonly kind: 'values'
      readonly fetchMethod: FetchMethod
      readonly fetchReason?: FetchReason | null
      readonly mark: PageMark
      readonly values: Values
      /** Fields that had a value on the page, of which treatments left nothing. Absent: none. */
      readonly emptied?: readonly string[]
      /** For a whole page: its readable text, as extraction cut it; absent where there is none. */
      readonly pageText?: string
      readonly warnings: readonly string[]
      /** A field is empty, and the page was read without running these scripts of it. Absent: it has none, or was. */
      readonly scripts?: Scripts
      /** The answer is not HTML, so every layer reads the same of it. Absent: it may be HTML. */
      readonly isAsSent?: boolean
      /** Always present for a monitor with the visual layer, never for others. */
      readonly shots?: readonly Shot[]
      readonly remember?: Remembered
      /** Where the task asks for it, here and below. */
      readonly fetched?: FetchedFacts
    } & OfMedia)
  /** For a prompt: the text for the model. The trusted side sends it when the check is completed. */
  | {
      readonly kind: 'text'
      readonly fetchMethod: FetchMethod
      readonly fetchReason?: FetchReason | null
      readonly mark: PageMark
      readonly text: string
      readonly warnings: readonly string[]
      readonly shots?: readonly Shot[]
      readonly remember?: Remembered
      readonly fetched?: FetchedFacts
    }
  | ({
      readonly kind: 'failed'
      readonly fetchMethod: FetchMethod | null
      readonly fetchReason?: FetchReason | null
      readonly fault: RunFault
      readonly retryAfterMs: number
      /**
       * The HTTP status of the response; absent or null: there was none. It distinguishes a refusal from a request for
       * credentials.
       */
      readonly status?: number | null
      /** What was thrown, for an `internal` fault. Only for the log: it may contain anything. */
      readonly cause?: unknown
      /** Of a search: what the engine did. */
      readonly engine?: EngineFailure
      readonly fetched?: FetchedFacts
    } & OfMedia)
  | {
      /** The results of a search. The layer is null where a provider gave them. */
      readonly kind: 'search'
      readonly fetchMethod: 'browser' | null
      readonly search: SearchReading
      /** What the engine did before a provider answered. Absent: the engine gave the results. */
      readonly engine?: EngineFailure
    }
  /** What somebody sees of a page. */
  | {
      readonly kind: 'look'
      readonly fetchMethod: FetchMethod
      readonly fetchReason?: FetchReason | null
      readonly look: PageLook
      readonly fetched?: FetchedFacts
    }
  /** The process is stopping, or the fencing token is out of date: nothing is recorded, the check is released. */
  | { readonly kind: 'abandoned' }
