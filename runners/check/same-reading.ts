import { readingHash } from '../../core/diff/reading-hash.ts'
import type { Reading } from './reading.ts'

/** Returns whether two checks of one page have the same reading: the same values, or the same text for a model. */
export function isSameReading(one: Reading, other: Reading): boolean {
  if (one.kind === 'text' && other.kind === 'text') return one.text === other.text
  if (one.kind !== 'values' || other.kind !== 'values') return false
  return Buffer.compare(readingHash(one.values), readingHash(other.values)) === 0
}
