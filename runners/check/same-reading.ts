import { readingHash } from '../../core/diff/reading-hash.ts'
import type { Reading } from './reading.ts'
import type { PageTask } from './task.ts'

/**
 * Returns whether a page that was rendered without its media need not be read again with them: it reads as the baseline
 * does, or it did not arrive.
 */
export function isSure(
  sparse: Reading,
  { readingHash: known }: NonNullable<PageTask['withoutMedia']>,
): sparse is Extract<Reading, { kind: 'unchanged' | 'values' | 'failed' }> {
  if (sparse.kind === 'unchanged') return true
  if (sparse.kind === 'failed') return !isSuccess(sparse.status ?? null)
  return sparse.kind === 'values' && Buffer.compare(readingHash(sparse.values), known) === 0
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status <= 299

/** Returns whether two checks of one page have the same reading: the same values, or the same text for a model. */
export function isSameReading(one: Reading, other: Reading): boolean {
  if (one.kind === 'text' && other.kind === 'text') return one.text === other.text
  if (one.kind !== 'values' || other.kind !== 'values') return false
  return Buffer.compare(readingHash(one.values), readingHash(other.values)) === 0
}
