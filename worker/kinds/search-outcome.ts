import type { SerpTask } from '../../runners/check/task.ts'
import type { SearchReading } from '../../schema/serp/search-reading.ts'
import { type Issue, joinPath } from '../../schema/validation/issue.ts'
import {
  type CheckedOutcome,
  type HeldTask,
  readingIssue as issue,
  type ReportedOutcome,
} from '../queue/reported-outcome.ts'

/**
 * Checks the outcome of a search that a runner reports. What it read of the engine's pages cannot be checked; that it
 * is a list with running positions and addresses of the web can.
 */
export function searchOutcomeOf(
  { outcome, pictures }: ReportedOutcome,
  { task: { search } }: HeldTask<SerpTask>,
): CheckedOutcome {
  const { reading } = outcome
  const issues: Issue[] = []
  if (pictures.length > 0) issues.push({ path: 'pictures', message: 'must be empty: a search takes no pictures' })
  if (outcome.fetched) issues.push({ path: 'fetched', message: 'is not for a search' })
  if (outcome.values !== undefined) issues.push({ path: 'values', message: 'is not for a search' })
  if (reading.kind !== 'search' && reading.kind !== 'failed')
    issues.push(...issue('kind', 'must be search or failed: the monitor watches a search'))
  if (reading.kind === 'search') issues.push(...foundIssues(reading.search, search.pages))
  if (issues.length > 0) return { ok: false, issues: issues.slice(0, 50) }
  if (reading.kind === 'search') return { ok: true, reading: { ...reading, fetchMethod: 'browser' } }
  if (reading.kind === 'failed') {
    const { kind, fault, retry_after_ms: retryAfterMs, engine } = reading
    return { ok: true, reading: { kind, fetchMethod: 'browser', fault, retryAfterMs, ...(engine && { engine }) } }
  }
  throw new TypeError(`a reading that is ${reading.kind} has an issue`)
}

function foundIssues(
  { outcome, results, page_ends: ends, cut_by: cutBy, is_end: isEnd }: SearchReading,
  pages: number,
) {
  const issues: Issue[] = []
  const say = (path: string, message: string) => issues.push(...issue(`search.${path}`, message))
  if ((outcome === 'ok') !== results.length > 0) say('outcome', 'must be ok with results, and zero without')
  if (ends.length > pages) say('page_ends', `has more pages than the monitor asks for, which are ${pages}`)
  if (ends.some((end, at) => end < (ends[at - 1] ?? 0)) || ends.at(-1) !== results.length)
    say('page_ends', 'must rise, and end at the number of results')
  if (cutBy !== null && (isEnd || ends.length === pages)) say('cut_by', 'is not for a check that obtained all pages')
  if (cutBy === null && !isEnd && ends.length < pages)
    say('page_ends', `has fewer pages than the ${pages} that were asked for, and neither an end nor a cut`)
  return [...issues, ...results.flatMap(resultIssues)]
}

function resultIssues({ position, url, domain }: SearchReading['results'][number], at: number): Issue[] {
  const place = joinPath('search', 'results', at)
  const address = URL.parse(url)
  const isWeb = /^https?:$/.test(address?.protocol ?? '')
  return [
    ...(position === at + 1 ? [] : issue(`${place}.position`, `must be ${at + 1}: positions run on`)),
    ...(url === '' || isWeb ? [] : issue(`${place}.url`, 'must be empty, or an address of the web')),
    ...(isWeb && domain !== address?.hostname ? issue(`${place}.domain`, 'must be the host of the address') : []),
  ]
}
