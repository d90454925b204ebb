import { setTimeout as pause } from 'node:timers/promises'
import { runCli, startCli } from '../support/process/cli-process.ts'

/** What a caller was told. */
interface Answer {
  readonly status: number
  /** Seconds; NaN when nothing was said. */
  readonly retryAfter: number
  readonly text: string
}

/** An API process, and its owner's key. */
interface ApiUnderFault extends AsyncDisposable {
  /** Rejects when there is no answer in 20 s, or the connection is broken off. */
  call(method: string, path: string, body?: object): Promise<Answer>
  /** Calls again and again until `done`; answers all that was told. */
  callUntil(done: AbortSignal, path: string): Promise<Answer[]>
  signal(name: NodeJS.Signals): void
  readonly exited: Promise<number | null>
}

const PATIENCE_MS = 20_000
const CALL_EVERY_MS = 50

/** Makes an owner by `adminUrl`, and starts an API that reaches the database by `url`. */
export async function openApi({
  adminUrl,
  url = adminUrl,
}: {
  adminUrl: string
  url?: string
}): Promise<ApiUnderFault> {
  const environment = {
    TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a fault test',
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    TIDEMARK_LOG_LEVEL: 'error',
    PORT: '0',
  }
  const owner = ['admin', 'create-owner', '--email', 'owner@example.com', '--json']
  const made = await runCli(owner, { ...environment, DATABASE_URL: adminUrl })
  const { api_key: key } = JSON.parse(made.stdout) as { api_key: string }
  const api = startCli(['api'], { ...environment, DATABASE_URL: url })
  const [, base] = await api.says(/running at ([^\s"]+)["\n]/)

  async function call(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    const text = await answer.text()
    return { status: answer.status, retryAfter: Number(answer.headers.get('retry-after') ?? Number.NaN), text }
  }

  return {
    call,
    async callUntil(done, path) {
      const answers: Answer[] = []
      while (!done.aborted) {
        answers.push(await call('GET', path))
        await pause(CALL_EVERY_MS)
      }
      return answers
    },
    signal: (name) => api.signal(name),
    exited: api.exited,
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

/** Those that are neither what was asked for, nor "try again in so many seconds". */
export const unexpected = (answers: readonly Answer[], status: number): Answer[] =>
  answers.filter((answer) => answer.status !== status && !(answer.status === 503 && answer.retryAfter > 0))
