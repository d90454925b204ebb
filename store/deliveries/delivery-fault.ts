import { SchemaValidationError } from 'slonik'
import { sqlStateOf } from '../db/store-fault.ts'

/**
 * Returns whether the store refused the data of a statement (SQLSTATE classes 22 and 23), rather than being
 * unavailable or broken.
 */
export function isDataFault(error: unknown): boolean {
  return /^2[23]/.test(sqlStateOf(error))
}

/**
 * Returns the text that a log may contain about a failed statement. The error itself must not be logged, because it
 * contains the statement's values.
 */
export function storeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error instanceof SchemaValidationError)
    return `${error.message} ${error.issues.map(({ message }) => message).join('; ')}`
  const state = sqlStateOf(error)
  return state === '' ? error.message : `${error.message} (${state})`
}
