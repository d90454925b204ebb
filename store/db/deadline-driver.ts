import { createPgDriverFactory } from '@slonik/pg-driver'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { DriverClient, DriverFactory } from 'slonik'

/**
 * Returns a Postgres driver that closes a connection when a statement gets no answer for this long. Behind a firewall
 * that dropped it silently, a connection looks open, and a query on it would wait for ever. The rejection counts as an
 * unavailable store (`isStoreAway`): it is unknown whether the statement was executed.
 */
export function deadlineDriver(deadlineMs: number): DriverFactory {
  const factory = createPgDriverFactory()
  return async (setup) => {
    const driver = await factory(setup)
    return { createClient: async () => withDeadline(await driver.createClient(), deadlineMs) }
  }
}

function withDeadline(client: DriverClient, deadlineMs: number): DriverClient {
  let givenUp = false
  return {
    ...client,
    // The caller has waited long enough, and closing such a connection politely takes time as well.
    release: async () => (givenUp ? undefined : client.release()),
    destroy: async () => (givenUp ? undefined : client.destroy()),
    async query(text, values, options) {
      return withTimeout(client.query(text, values, options), deadlineMs, () => {
        if (!givenUp) {
          givenUp = true
          client.destroy().catch(() => {})
        }
        throw new UnansweredError(deadlineMs)
      })
    },
  }
}

class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
  readonly code = 'ETIMEDOUT'
  constructor(deadlineMs: number) {
    super(`the store left a statement unanswered for ${deadlineMs} ms; its connection is given up`)
  }
}
