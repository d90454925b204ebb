import type { Values } from '../../schema/shape/json.ts'
import type { RunFault, RunFaultCode } from '../../schema/run/run-fault.ts'

/** What a fetch layer hands over. */
export interface Page {
  /** Decoded of its content encoding (gzip and the like), not of its charset. */
  readonly body: Uint8Array
  /** The Content-Type header as sent, or null. */
  readonly contentType: string | null
  /** The address that answered, after redirects. */
  readonly url: string
}

/** What extraction gives. A failed one never changes the baseline; warnings are sentences for the run's `warnings`. */
export type Extraction =
  | {
      readonly ok: true
      readonly values: Values
      readonly warnings: readonly string[]
      /** Of a prompt, instead of values: what the model is to read. */
      readonly text?: string
    }
  | { readonly ok: false; readonly fault: RunFault }

export type Failed = Extract<Extraction, { ok: false }>

export function failed(code: RunFaultCode, message: string): Failed {
  return { ok: false, fault: { code, message: message.slice(0, 1_000) } }
}
