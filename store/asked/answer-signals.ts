import pg from 'pg'
import { withTimeout } from '../../concurrency/loops/retry.ts'
import { ANSWERED } from '../queue/claim-asked.ts'

/** Wakes those who wait for answers of runners. */
export interface AnswerSignals {
  /** Watches for the answer to asked work, by its id, until `stop`. */
  watch(id: string): AnswerWatch
  close(): Promise<void>
}

interface AnswerWatch {
  /** Resolves when it was answered, or after `ms`. Never rejects. */
  next(ms: number): Promise<void>
  /** Ends the wait at once. */
  stop(): void
}

const CONNECT_MS = 3_000

/**
 * Listens with its own connection while somebody waits. Where it is lost, or a pooler passes no notifications on, each
 * wait takes its whole time.
 */
export function createAnswerSignals(url: string): AnswerSignals {
  const wakes = new Map<string, () => void>()
  let listening: pg.Client | null = null

  function listen(): void {
    if (listening !== null) return
    const client = new pg.Client({
      connectionString: url,
      application_name: 'tidemark answers',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    })
    const lost = () => {
      if (listening === client) listening = null
    }
    listening = client
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ payload = '' }) => wakes.get(payload)?.())
    client
      .connect()
      .then(() => client.query(`listen ${ANSWERED}`))
      .catch(() => {
        lost()
        return client.end().catch(() => {})
      })
  }

  async function rest(): Promise<void> {
    const last = listening
    listening = null
    await last?.end().catch(() => {})
  }

  return {
    watch(id) {
      let answered = Promise.withResolvers<void>()
      wakes.set(id, () => answered.resolve())
      return {
        async next(ms) {
          listen()
          await withTimeout(answered.promise, ms, () => undefined)
          answered = Promise.withResolvers()
        },
        stop() {
          answered.resolve()
          wakes.delete(id)
          if (wakes.size === 0) void rest()
        },
      }
    },
    close: rest,
  }
}
