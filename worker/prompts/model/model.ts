import type { OpenAI } from 'openai'
import { sleep } from '../../../concurrency/loops/sleep.ts'
import type { Logger } from '../../../core/logger.ts'
import type { JsonSchema } from '../../../core/prompt-shape/shape-json.ts'
import { type Dialect, FULL, simpler } from './dialect.ts'
import type { Message } from './messages.ts'
import { type ModelError, modelError } from './model-error.ts'
import { failure, type ModelFailure } from './model-fault.ts'
import { createModelFetch } from './model-fetch.ts'
import { readCompletion } from './read-completion.ts'

/** The model of this installation (settings LLM_BASE_URL, LLM_API_KEY, LLM_MODEL). */
export interface ModelOptions {
  readonly baseUrl: string
  /** It is asked for at each question: its file may be read again. Null: there is none, and never will be. */
  readonly apiKey: () => string | null
  readonly name: string
  /** Milliseconds for one answer. */
  readonly timeoutMs: number
  /** The most requests at once. */
  readonly connections: number
  readonly log: Pick<Logger, 'warn'>
}

interface Asked {
  readonly messages: readonly Message[]
  /** The schema of a JSON answer; null: the answer is plain text. */
  readonly schema: JsonSchema | null
}

type Said =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'abandoned' }

export interface Model {
  readonly name: string
  /** Asks the model, and once more after a temporary fault. Never rejects; the signal gives `abandoned`. */
  say(asked: Asked, signal: AbortSignal): Promise<Said>
  /** Ends the running requests. */
  close(): Promise<void>
}

/**
 * The most tokens of an answer: about 15,000 characters. Fifty fields need far less, but models that reason first need
 * the room.
 */
const MAX_TOKENS = 4_096
const MAX_BYTES = 512 * 1024
/**
 * The longest pause that is waited for within a run. If the endpoint asks for a longer one, it is left alone that long
 * and the run fails.
 */
const PATIENCE_MS = 5_000
const FIRST_PAUSE_MS = 500
/** A learned dialect is dropped after this time, because a single unusual question may have caused it. */
const LEARNED_MS = 3_600_000

export function createModel(options: ModelOptions): Model {
  return new AskedModel(options)
}

class AskedModel implements Model {
  readonly name: string
  readonly #options: ModelOptions
  readonly #connection
  #client: Promise<OpenAI> | undefined
  #dialect: Dialect = FULL
  #learnedAt = 0
  #quietUntil = 0

  constructor(options: ModelOptions) {
    this.name = options.name
    this.#options = options
    this.#connection = createModelFetch({ connections: options.connections, maxBytes: MAX_BYTES })
  }

  async say(asked: Asked, signal: AbortSignal): Promise<Said> {
    const quietMs = this.#quietUntil - performance.now()
    if (quietMs > 0) return { kind: 'failed', failure: busy(quietMs) }
    let dialect = performance.now() - this.#learnedAt < LEARNED_MS ? this.#dialect : FULL
    for (let retried = false; ;) {
      const said = await this.#once(asked, dialect, signal)
      if (signal.aborted) return { kind: 'abandoned' }
      if (said.kind === 'said') {
        this.#learn(dialect)
        return said
      }
      const { failed, refusal } = said.error
      const next = refusal && simpler(dialect, { ...refusal, wantsJson: asked.schema !== null })
      if (next) {
        dialect = next
        continue
      }
      if (failed.retryAfterMs > PATIENCE_MS) this.#beQuiet(failed.retryAfterMs)
      if (!failed.isPassing || retried || failed.retryAfterMs > PATIENCE_MS) return { kind: 'failed', failure: failed }
      retried = true
      await sleep(Math.max(FIRST_PAUSE_MS, failed.retryAfterMs), signal)
      if (signal.aborted) return { kind: 'abandoned' }
    }
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  async #once(asked: Asked, dialect: Dialect, signal: AbortSignal): Promise<Attempt> {
    let sentWith: string | null = null
    try {
      this.#client ??= this.#open()
      const client = await this.#client
      const { timeoutMs } = this.#options
      sentWith = this.#options.apiKey()
      const completion: unknown = await client.chat.completions.create(bodyOf(asked, dialect, this.name), {
        signal,
        timeout: timeoutMs,
        maxRetries: 0,
      })
      const read = readCompletion(completion)
      return read.ok
        ? { kind: 'said', text: read.text }
        : { kind: 'failed', error: { failed: read.failure, refusal: null, words: '' } }
    } catch (error) {
      return { kind: 'failed', error: this.#logged(modelError(error, this.#options.timeoutMs), { sentWith, signal }) }
    }
  }

  /**
   * The endpoint's own text goes to the log without our keys, because some endpoints repeat the key: that of the
   * question, and the one of now.
   */
  #logged(error: ModelError, { sentWith, signal }: Sent): ModelError {
    const { log } = this.#options
    if (signal.aborted) return error
    const keys = [sentWith, this.#options.apiKey()].filter((key) => key !== null)
    const words = keys.reduce((text, key) => text.replaceAll(key, '(LLM_API_KEY)'), error.words)
    log.warn(
      { code: error.failed.fault.code, status: error.refusal?.status, words: words.slice(0, 300) },
      'the model gave no answer',
    )
    return error
  }

  /** Loaded at the first question: loading takes a while, and most processes never ask. */
  async #open(): Promise<OpenAI> {
    const { OpenAI: Client } = await import('openai')
    const { baseUrl, apiKey } = this.#options
    return new Client({
      baseURL: baseUrl,
      // The client requires a key. If none is configured, the header is removed.
      apiKey: async () => apiKey() ?? 'none',
      ...(apiKey() === null && { defaultHeaders: { authorization: null } }),
      // Without these the client reads them from the environment.
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: 'off',
      fetch: (input, init) => this.#connection.fetch(input, init),
    })
  }

  #learn(dialect: Dialect): void {
    if (dialect === this.#dialect) return
    this.#dialect = dialect
    this.#learnedAt = performance.now()
  }

  #beQuiet(ms: number): void {
    this.#quietUntil = performance.now() + ms
  }
}

/** How a question was sent. */
interface Sent {
  readonly sentWith: string | null
  readonly signal: AbortSignal
}

type Attempt =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'failed'; readonly error: ModelError }

function bodyOf({ messages, schema }: Asked, { format, temperature, limit }: Dialect, model: string) {
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    stream: false as const,
    // Makes the same page give the same answer, as far as the model can.
    ...(temperature && { temperature: 0 }),
    ...(limit !== 'none' && { [limit]: MAX_TOKENS }),
    ...(schema &&
      format === 'json_schema' && {
        response_format: {
          type: 'json_schema' as const,
          json_schema: { name: 'answer', schema: schema.schema, strict: schema.strict },
        },
      }),
    ...(schema && format === 'json_object' && { response_format: { type: 'json_object' as const } }),
  }
}

const busy = (retryAfterMs: number): ModelFailure =>
  failure('model_busy', 'The model asked to be left alone for a while, and was not asked. The next run asks again.', {
    retryAfterMs,
  })
