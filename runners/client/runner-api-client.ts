import type { Static, TSchema } from 'typebox'
import { Agent, request } from 'undici'
import { checkerOf } from '../../schema/validation/validate.ts'
import { LaneError } from './runner-api-error.ts'

interface LaneClientOptions {
  /** Where the lane is; the verbs are put behind its path. */
  readonly url: string
  readonly token: string
}

interface Asked {
  readonly type: string
  readonly body: Buffer | string
  readonly signal?: AbortSignal | undefined
  /** For the answer to begin, in milliseconds. */
  readonly timeoutMs: number
}

/** Says the verbs of the lane. It is an address of the settings, so it is asked directly and not through the guard. */
export interface LaneClient {
  /**
   * The answer's body; undefined: it has none. Rejects with LaneError for what is refused, else with what the
   * connection gave.
   */
  post(verb: string, asked: Asked): Promise<unknown>
  close(): Promise<void>
}

export function createLaneClient({ url, token }: LaneClientOptions): LaneClient {
  const base = url.replace(/\/+$/, '')
  const agent = new Agent({ connect: { timeout: 5_000 }, keepAliveTimeout: 4_000 })
  return {
    async post(verb, { type, body, signal, timeoutMs }) {
      const answer = await request(`${base}/lane/${verb}`, {
        dispatcher: agent,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: 10_000,
        signal: signal ?? null,
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 200 && answer.statusCode < 300)
        return text === '' ? undefined : (JSON.parse(text) as unknown)
      throw new LaneError(answer.statusCode, messageOf(text) ?? `the lane answered ${answer.statusCode}`)
    },
    close: () => agent.destroy(),
  }
}

/**
 * The answer as this version understands it. Throws where it does not: the other side is of another one, or is no lane.
 */
export function readAnswer<S extends TSchema>(schema: S, answer: unknown): Static<S> {
  const read = checkerOf(schema).validate(answer)
  if (read.ok) return read.value
  const [first] = read.issues
  throw new TypeError(`the lane answered what this version does not understand: ${first?.path} ${first?.message}`)
}

/** What an error envelope says. */
function messageOf(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? error.message.slice(0, 1000) : null
  } catch {
    return null
  }
}
