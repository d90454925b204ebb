import { searchFromWire, searchToWire } from '../../client/task-wire.ts'
import { leftAlone, searchReading } from '../../serp/search-reading.ts'
import type { SerpTask } from '../task.ts'
import type { CheckKind } from './check-kind.ts'

/** Checks of searches. */
export const SEARCH_CHECK: CheckKind<SerpTask, 'searches'> = {
  kind: 'serp',
  async check(task, { search: means, extractor, signal }) {
    if (task.refusedUntilMs !== null) return leftAlone(task.search.engine, task.refusedUntilMs)
    if (means) return searchReading(task, { means, extractor, signal })
    return { kind: 'failed', fetchMethod: null, fault: NO_SEARCH, retryAfterMs: 0 }
  },
  wire: { list: 'searches', to: searchToWire, from: searchFromWire },
}

const NO_SEARCH = {
  code: 'not_available',
  message: 'Searches need the browser layer, which this process does not have; start a runner.',
} as const
