import type { Values } from '../../schema/shape/json.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'

/** What a prompt monitor asks, and the text of the page that it asks about. */
export interface Question {
  readonly teamId: string
  readonly prompt: string
  readonly schema: Readonly<Record<string, unknown>> | null
  /** At most 50,000 characters, from an untrusted page. */
  readonly text: string
  /** Bytes that are kept in memory with it until it is answered: pictures. */
  readonly held?: number
}

/** The result of a question. */
export type PromptAnswer =
  | { readonly kind: 'values'; readonly values: Values; readonly warnings: readonly string[] }
  | { readonly kind: 'failed'; readonly fault: RunFault; readonly retryAfterMs: number }
  /**
   * The signal ended it, or the process is stopping, or the store is away: nothing is known, nothing is to be recorded.
   */
  | { readonly kind: 'abandoned' }

/**
 * Who asks the model: always the trusted side of a check, never what fetches and parses. This is all that the runners
 * know of it; `prompts/` has it, and nothing in this folder can import that.
 */
export interface Prompts {
  /** Never rejects. */
  ask(question: Question, signal: AbortSignal): Promise<PromptAnswer>
  /** False: so many questions wait, or so many bytes with them, that another would only fill the memory. */
  hasRoom(held: number): boolean
}

/** Why no prompt monitor can run here. */
export const NO_MODEL =
  'This installation has no model for prompt extraction: its setting LLM_BASE_URL is empty. Whoever runs it sets ' +
  'LLM_BASE_URL, LLM_API_KEY and LLM_MODEL; until then use another method.'
