import type { RunFault, RunFaultCode } from '../../schema/run/run-fault.ts'
import type { Json, Values } from '../../schema/shape/json.ts'

/** The result of a fetch layer. */
export interface Page {
  /** The content encoding (such as gzip) is decoded, the charset is not. */
  readonly body: Uint8Array
  /** The Content-Type header as sent, or null. */
  readonly contentType: string | null
  /** The URL of the response, after redirects. */
  readonly url: string
  /** A file was opened as it, within other limits than those of pages. Absent: no. */
  readonly isOpened?: boolean
}

/** How much script HTML has: three scripts or 10,000 characters are many. */
export type Scripts = 'some' | 'many'

/**
 * The result of extraction. A failed one never changes the baseline. Warnings are sentences for the run's `warnings`.
 */
export type Extraction =
  | {
      readonly ok: true
      readonly values: Values
      readonly warnings: readonly string[]
      /** For a whole page: its readable text, to show what changed; absent where there is none. */
      readonly pageText?: string
      /** Fields that had a value, of which treatments left nothing. Absent: none. */
      readonly emptied?: readonly string[]
      /** A value is empty on the page, and the page is HTML with scripts. Absent: no. */
      readonly scripts?: Scripts
      /** For a prompt, instead of values: the text for the model. */
      readonly text?: string
      /** A script still has to fill the page, so nothing was read. Absent: it was read, or nobody asked. */
      readonly isShell?: true
      /** Of another reader (pool/thread-reader.ts), instead of values. */
      readonly read?: unknown
      /** As below, where an unexpected error cost no more than the readable text. */
      readonly trace?: string
    }
  /** `trace`: where an unexpected error was thrown, for the log; absent for every other fault. */
  | { readonly ok: false; readonly fault: RunFault; readonly trace?: string }

/** Fields with their values, in the order of the config, before they are cut to what a run keeps. */
export type Fields = [name: string, value: Json][]

export type Failed = Extract<Extraction, { ok: false }>

export function failed(code: RunFaultCode, message: string): Failed {
  return { ok: false, fault: { code, message: message.slice(0, 1_000) } }
}
