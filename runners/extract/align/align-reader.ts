import type { ThreadReader } from '../pool/thread-reader.ts'
import type { Place } from './align-tree.ts'
import type { LiveTree } from './live-tree.ts'

export interface Asked {
  readonly live: LiveTree
  /** The indexes of the elements to find. */
  readonly wanted: readonly number[]
}

const ALIGN_MS = 5_000

/** Returns what finds elements in the HTML of their document, in a thread of the extractor. */
export const alignReader = (asked: Asked): ThreadReader<readonly Place[]> => ({
  module: new URL('align-thread.ts', import.meta.url).href,
  timeoutMs: ALIGN_MS,
  asked,
  isRead: (value): value is readonly Place[] => Array.isArray(value) && value.length === asked.wanted.length,
})
