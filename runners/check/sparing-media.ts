import { readingHash } from '../../core/diff/reading-hash.ts'
import type { Reading } from './reading.ts'
import { isSameReading } from './same-reading.ts'
import type { PageTask } from './task.ts'

/**
 * Checks a page without its media where its task allows that, and once more with them unless the first reading is sure
 * (docs/decisions/0060-pages-without-their-media.md). `once` checks as a task says.
 */
export async function sparingMedia(task: PageTask, once: (task: PageTask) => Promise<Reading>): Promise<Reading> {
  const { withoutMedia: known, ...whole } = task
  // Without a baseline there is nothing that a reading could be equal to.
  if (known === undefined || task.last === null) return once(whole)
  const sparse = await once(task)
  if (sparse.kind === 'moved' || sparse.kind === 'abandoned') return sparse
  return isSure(sparse, known) ? { ...sparse, withoutMedia: true } : withMedia(sparse, await once(whole))
}

/** A page that reads otherwise with its media needs them; a page that changes all the time looks the same. */
function withMedia(sparse: Reading, whole: Reading): Reading {
  const isRead = whole.kind === 'values' || whole.kind === 'unchanged'
  return isRead && !isSameReading(sparse, whole) ? { ...whole, needsMedia: true } : whole
}

/**
 * Returns whether a page that was rendered without its media need not be read again with them: it reads as the baseline
 * does, or it did not arrive.
 */
function isSure(
  sparse: Reading,
  { readingHash: known }: NonNullable<PageTask['withoutMedia']>,
): sparse is Extract<Reading, { kind: 'unchanged' | 'values' | 'failed' }> {
  if (sparse.kind === 'unchanged') return true
  if (sparse.kind === 'failed') return !isSuccess(sparse.status ?? null)
  return sparse.kind === 'values' && Buffer.compare(readingHash(sparse.values), known) === 0
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status <= 299
