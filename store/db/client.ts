import {
  createPool,
  type CommonQueryMethods,
  type DatabasePool,
  type DatabaseTransactionConnection,
  type Interceptor,
  SchemaValidationError,
} from 'slonik'
import { deadlineDriver } from './deadline-driver.ts'

/** A pool of connections to the store. */
export type Store = DatabasePool
/** What a query runs on: the pool, or a transaction. */
export type Queryable = CommonQueryMethods
export type Transaction = DatabaseTransactionConnection

/** Options of `openStore`. */
interface StoreOptions {
  readonly url: string
  /** Shown in pg_stat_activity. */
  readonly name: string
  /** Connections at most; default 10. */
  readonly connections?: number
  /** Longest statement in milliseconds; default 30,000. */
  readonly statementTimeoutMs?: number
  /**
   * How long a query may wait for a connection, in milliseconds; default 10,000. The API gives less: its callers are
   * told within 5 s.
   */
  readonly connectTimeoutMs?: number
}

/**
 * Opens the pool. Instants come as the text that Postgres prints or as milliseconds where the statement says so; json
 * comes parsed; bigint comes as a number (none of ours passes 2^53).
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { statementTimeoutMs = 30_000 } = options
  const url = new URL(options.url)
  url.searchParams.set('application_name', options.name)
  const pool = await createPool(url.href, {
    maxPoolSize: options.connections ?? 10,
    connectionTimeout: options.connectTimeoutMs ?? 10_000,
    idleTimeout: 60_000,
    // A connection that is given up counts against the pool for twice as long.
    gracefulTerminationTimeout: 1_000,
    statementTimeout: statementTimeoutMs,
    driverFactory: deadlineDriver(statementTimeoutMs + ANSWER_SLACK_MS),
    idleInTransactionSessionTimeout: 30_000,
    // What a lost connection leaves open is the caller's to judge: a claim or a record repeated blindly could count
    // twice.
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    connectionRetryLimit: 1,
    typeParsers: [BIGINT, TIMESTAMP],
    interceptors: [rowCheck],
    // The default, DISCARD ALL, throws away the prepared statements of the hot path and costs a round trip a query. No
    // session state is ever set here.
    resetConnection: async () => {},
  })
  // Whoever ran the query has its rejection; without a listener the pool would end the process as well.
  pool.on('error', () => {})
  return pool
}

/** The store itself ends a statement at its timeout; the word of that needs a moment. */
const ANSWER_SLACK_MS = 2_000

/** bigint as a number: none of ours passes 2^53. */
const BIGINT = { name: 'int8', parse: (text: string | null) => (text === null ? null : Number(text)) }

/** timestamptz (oid 1184) as an ISO 8601 instant in UTC with milliseconds, the form of the API. */
const TIMESTAMP = {
  name: 'timestamptz',
  parse: (text: string | null) =>
    text === null ? null : new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString(),
}

/**
 * Every row is checked against the schema of its statement: a drift between store and schema is a bug that must not
 * travel on.
 */
const rowCheck: Interceptor = {
  name: 'row-check',
  transformRow: (context, query, row) => {
    const parser = context.resultParser
    if (!parser) return row
    const checked = parser['~standard'].validate(row)
    if (checked instanceof Promise) throw new TypeError('row schemas are synchronous')
    if (checked.issues) throw new SchemaValidationError(query, row as never, checked.issues)
    return checked.value as typeof row
  },
}
