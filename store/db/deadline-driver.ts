import { createPgDriverFactory } from '@slonik/pg-driver'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { DriverClient, DriverFactory } from 'slonik'

/**
 * The driver of Postgres, which ends a connection that has left a statement unanswered for this long: behind a firewall
 * that forgot it, a connection stays open and leads nowhere, and the query on it would wait for ever. The rejection
 * counts as a store that is away (`isStoreAway`): whether the statement was carried out, nobody knows.
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
    // Whoever asked has waited long enough: the good-bye of such a connection takes its time as well.
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
