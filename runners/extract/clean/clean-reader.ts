import type { Clean } from '../../../schema/monitor/treatment.ts'
import type { Values } from '../../../schema/shape/json.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import type { ThreadReader } from '../pool/thread-reader.ts'
import { patternsOfClean } from './treatments.ts'

/** Values that were treated. */
export interface CleanedValues {
  readonly values: Values
  /** The fields of which treatments left nothing. */
  readonly emptied: readonly string[]
  readonly warnings: readonly string[]
}

/** Returns what treats values that no page was read for, in a thread of the extractor: their JSON is the page. */
export const cleanReader = (clean: Clean): ThreadReader<CleanedValues> => ({
  module: new URL('clean-thread.ts', import.meta.url).href,
  timeoutMs: Math.min(Math.max(patternsOfClean(clean), 1) * EXTRACT_LIMITS.ruleMs, EXTRACT_LIMITS.pageMs),
  asked: clean,
  isRead: (value): value is CleanedValues => typeof value === 'object' && value !== null && 'values' in value,
})
