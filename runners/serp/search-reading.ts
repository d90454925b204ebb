import { gzipSync } from 'node:zlib'
import type { SerpCheck } from '../../schema/serp/serp-check.ts'
import { ENGINE_NAMES, type SerpEngine, type SerpSearch } from '../../schema/serp/serp-search.ts'
import type { Reading } from '../check/reading.ts'
import type { SerpTask } from '../check/task.ts'
import { checkSearch, type SearchChecked, type SearchPorts } from './check-search.ts'

/** What checks of searches need from their process. */
export interface SearchMeans extends Pick<SearchPorts, 'browsers' | 'endpoints' | 'between'> {
  /** The country that this process comes from, in lower case. Null: not known. */
  readonly country: string | null
}

/** Runs the check of a search. */
export async function searchReading(
  task: SerpTask,
  { means, ...ports }: { readonly means: SearchMeans } & Pick<SearchPorts, 'extractor' | 'signal'>,
): Promise<Reading> {
  const { search, teamKey, runId } = task
  const team = teamKey !== undefined && { team: teamKey }
  const checked = await checkSearch(search, { ...means, ...ports, ...team, runId })
  if (ports.signal.aborted) return { kind: 'abandoned' }
  return readingOf(checked, countryOf(search, means.country))
}

/** Returns the reading of a check that fell into the time in which its engine is left alone. */
export function leftAlone(engine: SerpEngine, untilMs: number): Extract<Reading, { kind: 'failed' }> {
  const until = new Date(untilMs).toISOString()
  const message =
    `${ENGINE_NAMES[engine]} refused earlier checks as automated and is left alone until ${until}. This check asked ` +
    'nothing and used no run.'
  return {
    kind: 'failed',
    fetchMethod: null,
    fault: { code: 'blocked', message },
    retryAfterMs: 0,
    engine: { outcome: 'left_alone', country: 'approximate', marker: `refused until ${until}` },
  }
}

/** Results follow the country that the check comes from more than anything that is asked for. */
function countryOf({ location_code: wanted }: SerpSearch, country: string | null): SerpCheck['country'] {
  return country === wanted.toLowerCase() ? 'exact' : 'approximate'
}

function readingOf(checked: SearchChecked, country: SerpCheck['country']): Reading {
  const marker = checked.pages.at(-1)?.marker ?? ''
  if (checked.ok) {
    const { outcome, results, pageEnds, isEnd, isPartial, isGuess, aiOverview, featuredSnippet } = checked
    const { cutBy, warnings, unread } = checked
    const found = {
      outcome,
      results,
      pageEnds,
      isEnd,
      isPartial,
      isGuess,
      aiOverview,
      featuredSnippet,
      cutBy,
      warnings,
    }
    const kept = unread && { unread: gzipSync(unread) }
    const search = { ...found, ...kept, source: 'engine', isRefused: cutBy === 'blocked', country, marker } as const
    return { kind: 'search', fetchMethod: 'browser', search }
  }
  const { outcome, fault, unread } = checked
  return {
    kind: 'failed',
    fetchMethod: 'browser',
    fault,
    retryAfterMs: 0,
    engine: { outcome, country, marker, ...(unread && { unread: gzipSync(unread) }) },
  }
}
