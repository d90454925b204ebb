import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Store } from '../db/client.ts'
import type { Held } from '../queue/lease.ts'
import { recordSearches } from '../queue/record-search.ts'

interface EndedSearchPreview extends Held {
  readonly engine: SerpEngine
  /** The engine refused, on the first page or on a later one. */
  readonly refused: boolean
  /** The engine answered as it should. */
  readonly healthy: boolean
}

/**
 * Frees the exit of a search that no monitor makes. What the engine did counts as after a check: a refusal, or a
 * healthy answer. No check has the number, so nothing else is recorded.
 */
export async function endSearchPreview(store: Store, ended: EndedSearchPreview, spacingMs: number): Promise<void> {
  const { no, fence, engine, refused, healthy } = ended
  await recordSearches(
    store,
    [
      {
        ...{ no, fence, engine, refused, healthy, run_id: crypto.randomUUID(), start_offset_ms: 0, duration_ms: 0 },
        ...{ fetch_method: null, outcome: 'failed', error_code: null, error_message: null, warnings: null },
        ...{ organic_results: null, reading_id: null, is_reading: false, kept: null, serp_check: '{}', deliveries: [] },
        ...{ fired: false, notices: [] },
        ...{ target_rank: null, rank_delta: null, ai_overview_present: null, featured_snippet_present: null },
      },
    ],
    { spacingMs, mails: { add: async () => false }, linkOf: () => null },
  )
}
