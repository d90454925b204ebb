import { ENGINE_NAMES, type SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Reading } from '../check/reading.ts'
import type { SerpTask } from '../check/task.ts'
import { checkSearch, type SearchPorts } from './check-search.ts'

/** What checks of searches need from their process. */
export type SearchMeans = Pick<SearchPorts, 'browsers' | 'endpoints' | 'country' | 'between'>

/** Runs the check of a search. */
export async function searchReading(
  task: SerpTask,
  { means, ...ports }: { readonly means: SearchMeans } & Pick<SearchPorts, 'extractor' | 'signal'>,
): Promise<Reading> {
  const { search, teamKey, runId } = task
  const team = teamKey !== undefined && { team: teamKey }
  const checked = await checkSearch(search, { ...means, ...ports, ...team, runId })
  if (ports.signal.aborted) return { kind: 'abandoned' }
  if (checked.ok) return { kind: 'search', fetchMethod: 'browser', search: checked.search }
  const { fault, engine } = checked
  return { kind: 'failed', fetchMethod: 'browser', fault, retryAfterMs: 0, engine }
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
