import { type Issue, joinPath } from './issue.ts'

/** Largest depth of values: far below the limit of any stack, far above any real input. */
const MAX_DEPTH = 64

/**
 * Returns the first text that cannot be stored, or the position where nesting becomes too deep; undefined when there
 * is none. Postgres accepts neither NUL nor lone surrogates, so they are refused everywhere.
 */
export function findUncleanText(value: unknown): Issue | undefined {
  // The path is built only for an issue: most values are clean, and some are large.
  return isClean(value, 0) ? undefined : find(value, '', 0)
}

const cleanText = (text: string) => !text.includes('\0') && text.isWellFormed()

function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return cleanText(value)
  if (value === null || typeof value !== 'object') return true
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1))
  return Object.entries(value).every(([key, item]) => cleanText(key) && isClean(item, depth + 1))
}

function find(value: unknown, path: string, depth: number): Issue | undefined {
  if (typeof value === 'string')
    return cleanText(value) ? undefined : { path, message: 'must not hold NUL or lone surrogate characters' }
  if (value === null || typeof value !== 'object') return undefined
  if (depth > MAX_DEPTH) return { path, message: 'is nested too deeply' }
  for (const [key, item] of Object.entries(value)) {
    if (!cleanText(key)) return { path, message: 'must not have keys with NUL or lone surrogate characters' }
    const issue = find(item, joinPath(path, Array.isArray(value) ? Number(key) : key), depth + 1)
    if (issue) return issue
  }
  return undefined
}
