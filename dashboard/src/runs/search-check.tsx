import type { Run } from '../api/types.ts'
import { BLOCK_NAMES } from '../searches/block-strips.tsx'
import { EnginesLeftAlone } from '../searches/engines-left-alone.tsx'
import style from './search-results.module.css'

interface CheckProps {
  readonly check: NonNullable<Run['serp_check']>
}

/** How complete and how sure the results of a search are. */
export const Check = ({
  check: { source, pages, cut_by: cut, is_guess: isGuess, country, late_ms: late },
}: CheckProps) => (
  <p className={style['soft']}>
    {source === 'provider' ? 'From the paid provider' : 'From the engine itself'},{' '}
    {pages === 1 ? '1 page' : `${pages} pages`}.
    {cut !== null && ' A later page is missing: the engine did not give it.'}
    {isGuess && ' The layout of the page was unknown, so these results fire nothing.'}
    {country === 'approximate' && ' The check was not made from the country of the search.'}
    {late !== null &&
      late >= LATE_MS &&
      ` It began ${lateWords(late)} late, because each engine is asked for one search at a time.`}
  </p>
)

/** A check that begins so late is worth a word. */
const LATE_MS = 60_000

function lateWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 120) return minutes === 1 ? 'a minute' : `${minutes} minutes`
  return `${Math.round(minutes / 60)} hours`
}

/** What the engine showed beside the results, where its page tells. */
export function Blocks({ run: { ai_overview_present: overview, featured_snippet_present: snippet } }: BlocksProps) {
  const words = [
    [BLOCK_NAMES.ai_overview, overview],
    [BLOCK_NAMES.featured_snippet, snippet],
  ] as const
  const known = words.filter(([, isShown]) => typeof isShown === 'boolean')
  if (known.length === 0) return null
  return (
    <p className={style['soft']}>
      {known.map(([name, isShown]) => `${name}: ${isShown ? 'shown' : 'not shown'}.`).join(' ')}
    </p>
  )
}
interface BlocksProps {
  readonly run: Pick<Run, 'ai_overview_present' | 'featured_snippet_present'>
}

/** Which engine refused, below a run that failed for it. */
export const EngineOfRun = ({ run, engine }: EngineOfRunProps) =>
  run.serp_check && ['blocked', 'left_alone'].includes(run.serp_check.outcome) && <EnginesLeftAlone engine={engine} />
interface EngineOfRunProps {
  readonly run: Pick<Run, 'serp_check'>
  readonly engine: Parameters<typeof EnginesLeftAlone>[0]['engine'] & string
}
