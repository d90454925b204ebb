import type { Static, TSchema } from 'typebox'
import { Agent, request } from 'undici'
import { RUNNER_API_HEADER, RUNNER_API_VERSION, SANDBOX_HEADER } from '../../schema/runner-api.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { RunnerApiError } from './runner-api-error.ts'

interface RunnerApiClientOptions {
  /** The URL of the runner API; the verbs are appended to its path. */
  readonly url: string
  /** Returns the token of the next request. */
  readonly token: () => string
}

interface Asked {
  readonly type: string
  readonly body: Buffer | string
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the response begins. */
  readonly timeoutMs: number
}

/**
 * Sends the verbs of the runner API. Its address comes from the settings, so it is requested directly and not through
 * the egress guard.
 */
export interface RunnerApiClient {
  /**
   * Returns the body of the response; undefined: it has none. Rejects with RunnerApiError when the request is refused,
   * otherwise with the connection's error.
   */
  post(verb: string, asked: Asked): Promise<unknown>
  /** Says from now on whether browsers have their sandbox. */
  reportSandbox(isSandboxed: boolean): void
  close(): Promise<void>
}

export function createRunnerApiClient({ url, token }: RunnerApiClientOptions): RunnerApiClient {
  const base = url.replace(/\/+$/, '')
  const agent = new Agent({ connect: { timeout: 5_000 }, keepAliveTimeout: 4_000 })
  let isUnsandboxed = false
  return {
    reportSandbox(isSandboxed) {
      isUnsandboxed = !isSandboxed
    },
    async post(verb, { type, body, signal, timeoutMs }) {
      const answer = await request(`${base}/runner/${verb}`, {
        dispatcher: agent,
        method: 'POST',
        headers: {
          authorization: `Bearer ${token()}`,
          'content-type': type,
          [RUNNER_API_HEADER]: String(RUNNER_API_VERSION),
          ...(isUnsandboxed && { [SANDBOX_HEADER]: 'off' }),
        },
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: 10_000,
        signal: signal ?? null,
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 200 && answer.statusCode < 300)
        return text === '' ? undefined : (JSON.parse(text) as unknown)
      throw new RunnerApiError(
        answer.statusCode,
        messageOf(text) ?? `the runner API responded with status ${answer.statusCode}`,
      )
    },
    close: () => agent.destroy(),
  }
}

/**
 * Returns the response, validated by this version's schema. Throws when it does not match: the other side has another
 * version, or is not a runner API.
 */
export function readAnswer<S extends TSchema>(schema: S, answer: unknown): Static<S> {
  const read = checkerOf(schema).validate(answer)
  if (read.ok) return read.value
  const [first] = read.issues
  throw new TypeError(`the runner API sent what this version does not understand: ${first?.path} ${first?.message}`)
}

/** Returns the message of an error envelope, or null. */
function messageOf(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? error.message.slice(0, 1000) : null
  } catch {
    return null
  }
}
