import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { createOutage, type Outage, type OutageLog } from '../../concurrency/loops/outage.ts'

/** SQLSTATEs, and their classes, of a store that cannot serve now: connections, resources, shutdowns. */
const STORE_IS_DOWN = /^(08...|53...|57P0.|25006)$/
/** Those of a store that serves: deadlocks, locks that were not had in time, cancelled statements. */
const STATEMENTS_COLLIDED = /^(57014|40001|40P01|55P03)$/
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
/** Names of driver errors that have no code. */
const CONNECTION_NAMES = new Set([
  'ConnectionError',
  'BackendTerminatedError',
  'BackendTerminatedUnexpectedlyError',
  'StatementTimeoutError',
  'StatementCancelledError',
])
/** Those of a statement that the store has ended. */
const CANCELLED_NAMES = new Set(['StatementTimeoutError', 'StatementCancelledError'])
const CONNECTION_WORDS = new RegExp(
  [
    'connection terminated',
    'is not queryable',
    '^timeout expired$',
    '^query read timeout$',
    'timeout exceeded when trying to connect',
    'connection timeout',
    'pool (has|is being) (been )?(ended|shut)',
  ].join('|'),
  'i',
)

/**
 * Returns whether the store is unavailable, perhaps only for now, or refused a statement because of others. The same
 * statement may succeed later.
 */
export function isStoreAway(thrown: unknown): boolean {
  return hasCollided(thrown) || causes(thrown).some(isAway)
}

/** Such a fault is not the store's absence, and is not reported as such. */
const hasCollided = (thrown: unknown) => causes(thrown).some((error) => STATEMENTS_COLLIDED.test(codeOf(error)))

/**
 * Returns whether the store ended a statement at its time limit. The store serves, and the same statement is likely to
 * take as long again.
 */
export const isCancelled = (thrown: unknown): boolean =>
  causes(thrown).some((error) => codeOf(error) === '57014' || CANCELLED_NAMES.has(error.name))

/** Returns whether the store refused a value that must be unique. */
export function isDuplicate(thrown: unknown): boolean {
  return causes(thrown).some((error) => error instanceof UniqueIntegrityConstraintViolationError)
}

/** Returns the SQLSTATE of the store's error; '' when it has none. */
export function sqlStateOf(thrown: unknown): string {
  return (
    causes(thrown)
      .map(codeOf)
      .find((code) => /^[0-9A-Z]{5}$/.test(code)) ?? ''
  )
}

function isAway(error: Error): boolean {
  const code = codeOf(error)
  return (
    STORE_IS_DOWN.test(code) ||
    CONNECTION_CODES.has(code) ||
    CONNECTION_NAMES.has(error.name) ||
    CONNECTION_NAMES.has(error.constructor.name) ||
    CONNECTION_WORDS.test(error.message)
  )
}

const outages = new WeakMap<OutageLog, Outage>()

/**
 * Returns the one outage of the store that this log tells of. A process has one log, and all of its loops and pools
 * share the store.
 */
export function storeOutage(log: OutageLog): Outage {
  let outage = outages.get(log)
  if (!outage) {
    outage = createOutage({ what: 'the store', log, isAway: isOutage, reasonOf: reasonOfAbsence })
    outages.set(log, outage)
  }
  return outage
}

/** Returns whether the store is away, and not only busy with a statement that collides with another. */
export const isOutage = (thrown: unknown): boolean => !hasCollided(thrown) && isStoreAway(thrown)

/** The last cause is the driver's own error. An error without words (a refused connection has none) has a code. */
function reasonOfAbsence(thrown: unknown): string {
  const error = causes(thrown).findLast(isAway)
  return error === undefined ? 'unknown' : error.message || codeOf(error) || error.name
}

/** Returns the error and its causes, at most ten levels. */
export function causes(thrown: unknown): Error[] {
  const chain: Error[] = []
  for (let error = thrown; error instanceof Error && chain.length < 10; error = error.cause) {
    chain.push(error)
    if (error instanceof AggregateError) chain.push(...error.errors.filter((item) => item instanceof Error))
  }
  return chain
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')
