import { createPgDriverFactory } from '@slonik/pg-driver'
import pg from 'pg'
import {
  createPool,
  type CommonQueryMethods,
  type DatabasePool,
  type DatabaseTransactionConnection,
  type Interceptor,
  SchemaValidationError,
  type DriverClient,
  type DriverFactory,
} from 'slonik'
import type { Outage } from '../../concurrency/loops/outage.ts'
import { withTimeout, retryWhile, type RetryOptions } from '../../concurrency/loops/retry.ts'
import type { Logger } from '../../core/logger.ts'
import { isStoreAway, storeOutage } from './store-fault.ts'

/** A pool of connections to the store. */
export type Store = DatabasePool
/** The target of a query: the pool, or a transaction. */
export type Queryable = CommonQueryMethods
export type Transaction = DatabaseTransactionConnection

/** How often a transaction that a deadlock ended is done again, where it may be: the last argument of `transaction`. */
export const COLLISION_RETRIES = 3

/** Options of `openStore`. */
interface StoreOptions {
  readonly url: string
  /** Shown in pg_stat_activity. */
  readonly name: string
  /** Largest number of connections; default 10. */
  readonly connections?: number
  /** Longest statement in milliseconds; default 30,000. */
  readonly statementTimeoutMs?: number
  /**
   * Longest time that a query waits for a connection, in milliseconds; default 10,000. The API uses less, because its
   * clients must get a response within 5 s.
   */
  readonly connectTimeoutMs?: number
  /** The log of the process. Answers of the store are reported to its outage (`storeOutage`). */
  readonly log?: Logger | undefined
}

/**
 * Opens the pool. Instants arrive as the text that Postgres prints, or as milliseconds if the statement converts them.
 * json arrives parsed. bigint arrives as a number: no value in this schema exceeds 2^53.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { statementTimeoutMs = 30_000 } = options
  const url = new URL(options.url)
  url.searchParams.set('application_name', options.name)
  // Where clocks change twice a year, a week is not always 168 hours.
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c timezone=UTC`.trimStart())
  const pool = await createPool(url.href, {
    maxPoolSize: options.connections ?? 10,
    connectionTimeout: options.connectTimeoutMs ?? 10_000,
    idleTimeout: 60_000,
    // A connection that is abandoned counts against the pool for twice this time.
    gracefulTerminationTimeout: 1_000,
    statementTimeout: statementTimeoutMs,
    driverFactory: deadlineDriver(statementTimeoutMs + ANSWER_SLACK_MS, options.log && storeOutage(options.log)),
    idleInTransactionSessionTimeout: 30_000,
    // After a lost connection, the caller must decide whether to retry: a claim or a record that is repeated blindly
    // could count twice.
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    connectionRetryLimit: 1,
    typeParsers: [BIGINT, TIMESTAMP],
    interceptors: [rowCheck],
    // The default, DISCARD ALL, discards the prepared statements of the hot path and costs a round trip for each
    // query. This program never sets session state.
    resetConnection: async () => {},
  })
  // The caller of the query gets the rejection. Without a listener, the event would also end the process.
  pool.on('error', () => {})
  return pool
}

/**
 * Every client of the driver has a listener for errors. The driver asks for the types of the store with its own client,
 * which has none, and takes the listener from a client that could not connect. Without one, a store that goes away at
 * that moment would end the process, although the query under way is rejected too.
 */
const connect = pg.Client.prototype.connect as (...call: readonly unknown[]) => unknown
pg.Client.prototype.connect = function (this: pg.Client, ...call: readonly unknown[]) {
  this.on('error', () => {})
  return Reflect.apply(connect, this, call)
} as typeof pg.Client.prototype.connect

/** The store itself cancels a statement at its timeout. This is the extra time for that message to arrive. */
const ANSWER_SLACK_MS = 2_000

/** bigint as a number: no value in this schema exceeds 2^53. */
const BIGINT = { name: 'int8', parse: (text: string | null) => (text === null ? null : Number(text)) }

/** timestamptz (oid 1184) as an ISO 8601 instant in UTC with milliseconds, the form of the API. */
const TIMESTAMP = {
  name: 'timestamptz',
  parse: (text: string | null) =>
    text === null ? null : new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString(),
}

/**
 * Checks every row against the schema of its statement. A difference between store and schema is a bug that must not
 * spread.
 */
const rowCheck: Interceptor = {
  name: 'row-check',
  transformRow: (context, query, row) => {
    const parser = context.resultParser
    if (!parser) return row
    const checked = parser['~standard'].validate(row)
    if (checked instanceof Promise) throw new TypeError('row schemas are synchronous')
    if (checked.issues) throw new SchemaValidationError(query, row, checked.issues)
    return checked.value as typeof row
  },
}

/**
 * Returns a Postgres driver that closes a connection when a statement gets no answer for this long. Behind a firewall
 * that dropped it silently, a connection looks open, and a query on it would wait for ever. The rejection counts as an
 * unavailable store (`isStoreAway`): it is unknown whether the statement was executed.
 */
function deadlineDriver(deadlineMs: number, outage: Outage | undefined): DriverFactory {
  const factory = createPgDriverFactory()
  return async (setup) => {
    const driver = await factory(setup)
    return { createClient: async () => withDeadline(await driver.createClient(), deadlineMs, outage) }
  }
}

function withDeadline(client: DriverClient, deadlineMs: number, outage: Outage | undefined): DriverClient {
  let givenUp = false
  return {
    ...client,
    // The caller has waited long enough, and closing such a connection politely takes time as well.
    release: async () => (givenUp ? undefined : client.release()),
    destroy: async () => (givenUp ? undefined : client.destroy()),
    async query(text, values, options) {
      const answer = await withTimeout(client.query(text, values, options), deadlineMs, () => {
        if (!givenUp) {
          givenUp = true
          client.destroy().catch(() => {})
        }
        throw new UnansweredError(deadlineMs)
      })
      outage?.answered()
      return answer
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

interface Patience {
  readonly patienceMs: number
  readonly log: Logger
}

/**
 * Retries the work while the store is unavailable. Only for work that may be done twice. Any other error is thrown at
 * once.
 */
export function whileStoreAway<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  return retryWhile(work, storeAway(patience))
}

/** Returns the options for retrying work on the store. */
export function storeAway({ patienceMs, log }: Patience): RetryOptions {
  const onRetry = (error: unknown) => void storeOutage(log).covers(error, 'writes that wait')
  return { patienceMs, isRetryable: isStoreAway, onRetry }
}
