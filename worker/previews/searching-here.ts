import type { Running } from '../../concurrency/loops/wakeable-loop.ts'
import { type SearchMeans, searchReading } from '../../runners/serp/search-reading.ts'
import type { SearchingHere } from '../asked/search-here.ts'
import { HERE, taskOfSearch } from './preview-kind.ts'
import type { PreviewPorts } from './preview.ts'

/** How searches are previewed: as checks of this process are made. */
export interface PreviewSearching {
  readonly means: SearchMeans
  readonly exit: string
  readonly spacingMs: number
}

/** Returns what makes searches in this process, for those who wait. */
export function searchingHere(
  { means, exit, spacingMs }: PreviewSearching,
  { extractor, running, signal }: Pick<PreviewPorts, 'extractor' | 'signal'> & { readonly running: Running },
): SearchingHere {
  return {
    exit,
    spacingMs,
    async read(search, { teamId: teamKey }) {
      if (signal.aborted) return null
      const done = searchReading(taskOfSearch(search, { ...HERE, teamKey }), { means, extractor, signal })
      running.add(done)
      const reading = await done
      return reading.kind === 'search' || reading.kind === 'failed' ? reading : null
    },
  }
}
