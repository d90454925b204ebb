import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Values } from '../../schema/shape/json.ts'

/** The question of a prompt monitor, and the text of the page that it is about. */
export interface Question {
  readonly teamId: string
  readonly prompt: string
  readonly schema: Readonly<Record<string, unknown>> | null
  /** At most 50,000 characters of untrusted text. */
  readonly text: string
  /** Bytes that stay in memory with the question until it is answered: pictures. */
  readonly held?: number
}

/** The result of a question. */
export type PromptAnswer =
  | {
      readonly kind: 'values'
      readonly values: Values
      /** Fields that had a value in the answer, of which treatments left nothing. Absent: none. */
      readonly emptied?: readonly string[]
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'failed'; readonly fault: RunFault; readonly retryAfterMs: number }
  /**
   * The signal ended it, or the process is stopping, or the store is away: the result is unknown, and nothing is to be
   * recorded.
   */
  | { readonly kind: 'abandoned' }

/**
 * Asks the model. Only the trusted side of a check does this, never the code that fetches and parses. This interface is
 * all that the runners know of it; the implementation is in `prompts/`, and the runners cannot import that.
 */
export interface Prompts {
  /** Never rejects. */
  ask(question: Question, signal: AbortSignal): Promise<PromptAnswer>
  /** Returns false if so many questions wait, or so many bytes with them, that another would only use up memory. */
  hasRoom(held: number): boolean
}

/** The fault of a prompt monitor in an installation without a model. */
export const NO_MODEL =
  'This installation has no model for prompt extraction: its setting LLM_BASE_URL is empty. Whoever runs it sets ' +
  'LLM_BASE_URL, LLM_API_KEY and LLM_MODEL; until then use another method.'
