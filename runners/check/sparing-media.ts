import { readingHash } from '../../core/diff/reading-hash.ts'
import { layerBit } from '../../core/layer-bit.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { Reading } from './reading.ts'
import { isSameReading } from './same-reading.ts'
import type { KnownReading, PageTask } from './task.ts'

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
  return isSure(sparse, known) ? spared(sparse) : withMedia(sparse, await once(whole))
}

type Comparable = Extract<Reading, { kind: 'unchanged' | 'values' | 'failed' }>

/** Nothing was rendered where no answer arrived. */
const spared = (sparse: Comparable): Reading =>
  sparse.kind === 'failed' && (sparse.status ?? null) === null ? sparse : { ...sparse, withoutMedia: true }

/**
 * A page that reads otherwise with its media needs them; a page that changes all the time looks the same. So does one
 * that could not be rendered a second time: a site may refuse that.
 */
function withMedia(sparse: Reading, whole: Reading): Reading {
  if (whole.kind !== 'values' && whole.kind !== 'unchanged' && whole.kind !== 'failed') return whole
  const isSame = whole.kind === 'failed' ? sparse.kind === 'failed' : isSameReading(sparse, whole)
  return isSame && !('needsMedia' in sparse) ? whole : { ...whole, needsMedia: true }
}

/**
 * Returns whether a page that was rendered without its media need not be read again with them: it reads as the baseline
 * does, or it did not arrive.
 */
function isSure(sparse: Reading, known: KnownReading): sparse is Comparable {
  if ('needsMedia' in sparse) return false
  if (sparse.kind === 'failed') return !OF_PAGE.has(sparse.fault.code) && !isSuccess(sparse.status ?? null)
  if (sparse.kind !== 'unchanged' && sparse.kind !== 'values') return false
  // Layers may read a page differently.
  if ((known.readBy & layerBit(sparse.fetchMethod)) === 0) return false
  return sparse.kind === 'unchanged' || Buffer.compare(readingHash(sparse.values), known.readingHash) === 0
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status <= 299

/** Faults that a page without its media may have, and with them not. */
const OF_PAGE: ReadonlySet<RunFaultCode> = new Set(['render_failed', 'too_large', 'too_complex', 'empty_body'])
