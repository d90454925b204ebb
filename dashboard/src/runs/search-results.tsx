import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { ask } from '../api/client.ts'
import type { Run } from '../api/types.ts'
import { webAddress } from '../monitor/any-monitor.ts'
import { useAddress } from '../monitor/use-address.ts'
import { Choice } from '../parts/choice.tsx'
import { LongText, ShowMore } from '../parts/long-text.tsx'
import { Move } from './move.tsx'
import { ResultsBeside } from './results-beside.tsx'
import { compareResults, isWatched, type MovedResult, type Result } from './results.ts'
import { Blocks, Check } from './search-check.tsx'
import style from './search-results.module.css'
import { monitorPath, type RunAddress, runPath } from './use-run.ts'

/** The library that compares words is loaded with the first description that changed. */
const Snippet = lazy(() =>
  import('./snippet.tsx').then(
    ({ Snippet: found }) => ({ default: found }),
    () => ({ default: ({ after }: { readonly after: string }) => <>{after}</> }),
  ),
)

const VIEWS = [
  ['', 'Movements'],
  ['beside', 'Side by side'],
] as const
const RESULTS = 100
const MORE = 300

interface SearchResultsProps {
  readonly address: RunAddress
  readonly run: Run
  /** The run that it is compared with; null: the last one before that succeeded. */
  readonly other: string | null
  /** The run that was asked for cannot be compared with. */
  readonly isRefused: boolean
  /** The site that the search watches. */
  readonly target: string | null
}

/** The results of a search, with where each stood before, what is new and what is gone. */
export function SearchResults({ address, run, other, isRefused, target }: SearchResultsProps) {
  const found = useRunBefore(address, other)
  const before = isRefused ? null : (found ?? null)
  const all = run.organic_results ?? []
  const [asked, choose] = useAddress()
  const { results, gone } = compareResults(before?.organic_results ?? [], all)
  const isBeside = before !== null && asked.get('results') === 'beside'
  return (
    <section aria-label="Results">
      <h2 className={style['title']}>Results</h2>
      <Rank run={run} target={target} />
      {run.serp_check && <Check check={run.serp_check} />}
      <Blocks run={run} />
      {before !== null && (
        <p className={style['view']}>
          <Choice
            label="View of the results"
            value={isBeside ? 'beside' : ''}
            choices={VIEWS}
            onChoose={(value) => choose({ results: value })}
          />
        </p>
      )}
      {before === null && found !== undefined && (
        <p className={style['soft']}>There are no earlier results to compare with.</p>
      )}
      {all.length === 0 && <p className={style['soft']}>The search had no results.</p>}
      {isBeside ? (
        <ResultsBeside
          before={before.organic_results ?? []}
          after={results}
          gone={gone}
          isOurs={(result, isNow) => isWatched(result, target, (isNow ? run : before).target_rank ?? null)}
        />
      ) : (
        <Movements run={run} results={results} gone={gone} isFirst={before === null} target={target} />
      )}
    </section>
  )
}

interface MovementsProps extends ReturnType<typeof compareResults> {
  readonly run: Run
  /** There is nothing to compare with. */
  readonly isFirst: boolean
  readonly target: string | null
}

/** Each result with where it stood before, and those that are gone. */
function Movements({ run, results, gone, isFirst, target }: MovementsProps) {
  const [room, setRoom] = useState(RESULTS)
  if (results.length === 0) return <Gone results={gone} />
  return (
    <>
      <table className={style['results']}>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Moved</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {results.slice(0, room).map((moved) => (
            <Row
              key={moved.result.position}
              moved={moved}
              isFirst={isFirst}
              isOurs={isWatched(moved.result, target, run.target_rank ?? null)}
            />
          ))}
        </tbody>
      </table>
      {results.length > room && (
        <ShowMore shown={room} all={results.length} what="results" step={MORE} onMore={() => setRoom(room + MORE)} />
      )}
      <Gone results={gone} />
    </>
  )
}

/** Returns the run with the earlier results. Null: there is none. Undefined: it is being read. */
function useRunBefore(address: RunAddress, other: string | null): Run | null | undefined {
  const path = `${monitorPath(address)}/runs?limit=1&status=success&before=${encodeURIComponent(address.run)}`
  const last = useQuery({
    queryKey: ['runs', path],
    enabled: other === null,
    queryFn: ({ signal }) => ask<{ readonly data: readonly Run[] }>(path, { signal }),
  })
  const id = other ?? last.data?.data[0]?.id
  const found = useQuery({
    queryKey: ['run', runPath(id ?? '')],
    enabled: id !== undefined,
    queryFn: ({ signal }) => ask<Run>(runPath(id ?? ''), { signal }),
  })
  if (found.data !== undefined) return found.data
  return last.data !== undefined && id === undefined ? null : undefined
}

function Rank({ run: { target_rank: rank, rank_delta: delta }, target }: RankProps) {
  if (target === null) return null
  return (
    <p className={style['rank']}>
      <bdi>{target}</bdi> {rank === null || rank === undefined ? 'is not listed' : `is at ${rank}`}
      {typeof delta === 'number' && delta !== 0 && `, ${Math.abs(delta)} ${delta > 0 ? 'higher' : 'lower'} than before`}
    </p>
  )
}
interface RankProps {
  readonly run: Run
  readonly target: string | null
}

interface RowProps {
  readonly moved: MovedResult
  /** There is nothing to compare with. */
  readonly isFirst: boolean
  /** It is of the site that the search watches. */
  readonly isOurs: boolean
}

function Row({ moved: { result, was, said }, isFirst, isOurs }: RowProps) {
  const saysOther = said !== null && result.description !== null && said !== result.description
  const differs = !isFirst && (was !== result.position || saysOther)
  return (
    <tr className={isOurs ? style['ours'] : undefined} {...(differs && { 'data-change': '', tabIndex: -1 })}>
      <td>{result.position}</td>
      <td>{!isFirst && <Move position={result.position} was={was} />}</td>
      <td>
        <Found result={result} said={saysOther ? said : null} />
        {isOurs && <span className={style['mark']}>watched</span>}
      </td>
    </tr>
  )
}

/** The address is a link only if it leads to the web. */
function Found({ result: { title, url, domain, description }, said = null }: FoundProps) {
  const address = webAddress(url)
  return (
    <>
      {address !== null ? (
        <a href={address} target="_blank" rel="noopener noreferrer">
          <bdi>{title === '' ? domain : title}</bdi>
        </a>
      ) : (
        <bdi>{title}</bdi>
      )}
      <span className={style['site']}>
        <bdi>{domain}</bdi>
      </span>
      {description !== null && (
        <span className={style['soft']}>
          {said === null ? (
            <LongText text={description} most={300} />
          ) : (
            <Suspense fallback={description}>
              <Snippet before={said} after={description} />
            </Suspense>
          )}
        </span>
      )}
    </>
  )
}
interface FoundProps {
  readonly result: Result
  /** What it said before, where that differs. */
  readonly said?: string | null
}

const Gone = ({ results }: { readonly results: readonly Result[] }) =>
  results.length > 0 && (
    <>
      <h3 className={style['title']}>Gone</h3>
      <ul className={style['gone']}>
        {results.slice(0, RESULTS).map((result) => (
          <li key={result.position} data-change="" tabIndex={-1}>
            <span className={style['soft']}>was at {result.position}</span> <Found result={result} />
          </li>
        ))}
      </ul>
    </>
  )
