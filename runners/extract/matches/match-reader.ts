import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import type { Extraction } from '../page.ts'
import { defaultTimeoutMs } from '../pool/job.ts'
import type { ThreadReader } from '../pool/thread-reader.ts'

/** The elements that a rule of a field matches. */
export interface FieldMatches {
  readonly name: string
  readonly count: number
  /** Where the first of them are, in the document that was parsed. */
  readonly paths: readonly (readonly number[])[]
}

/** What a run would read of a page, and which elements its rules match. */
export interface Matched {
  readonly extraction: Extraction
  readonly matches: readonly FieldMatches[]
}

/** Returns what extracts a page and finds the elements that its rules match, in a thread of the extractor. */
export const matchReader = (config: ExtractConfig): ThreadReader<Matched> => ({
  module: new URL('match-thread.ts', import.meta.url).href,
  timeoutMs: 2 * defaultTimeoutMs(config),
  asked: config,
  isRead: (value): value is Matched => typeof value === 'object' && value !== null && 'extraction' in value,
})
