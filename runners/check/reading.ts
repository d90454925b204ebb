import type { Values } from '../../schema/shape/json.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { FetchMethod } from '../../schema/run/run.ts'
import type { Shot } from '../browser/page/shot.ts'

/** What lets the next fetch of a page see that nothing changed. */
export interface PageMark {
  readonly etag: string | null
  readonly lastModified: string | null
  /** First 16 bytes of the body's SHA-256. */
  readonly bodyHash: Uint8Array | null
}

/** The layer that the next checks take; absent: the one that they take now. */
export type Remembered = 'static' | 'browser'

/** The outcome of a check. */
export type Reading =
  /** The page needs another layer: the same run goes on in that queue, which is remembered. */
  | { readonly kind: 'moved'; readonly queue: 'browser'; readonly why: string }
  /** The very page of last time: nothing was parsed. */
  | {
      readonly kind: 'unchanged'
      readonly fetchMethod: FetchMethod
      readonly mark: PageMark
      readonly remember?: Remembered
    }
  | {
      readonly kind: 'values'
      readonly fetchMethod: FetchMethod
      readonly mark: PageMark
      readonly values: Values
      readonly warnings: readonly string[]
      /** Of a monitor with the visual layer, and then always. */
      readonly shots?: readonly Shot[]
      readonly remember?: Remembered
    }
  /** Of a prompt: what the model is to read. It is asked on the trusted side, when the check is completed. */
  | {
      readonly kind: 'text'
      readonly fetchMethod: FetchMethod
      readonly mark: PageMark
      readonly text: string
      readonly warnings: readonly string[]
      readonly shots?: readonly Shot[]
      readonly remember?: Remembered
    }
  | {
      readonly kind: 'failed'
      readonly fetchMethod: FetchMethod | null
      readonly fault: RunFault
      readonly retryAfterMs: number
      /**
       * The HTTP status that was answered; absent or null: none was. It tells a refusal from a question for
       * credentials.
       */
      readonly status?: number | null
    }
  /** We are stopping, or the check was fenced off: nothing is recorded, the check is given back. */
  | { readonly kind: 'abandoned' }
