import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import type { Run } from '../api/types.ts'
import { webAddress } from '../monitor/any-monitor.ts'
import { LongText, ShowMore } from '../parts/long-text.tsx'
import tones from '../style/tones.module.css'
import { compareResults, type MovedResult, type Result } from './results.ts'
import style from './search-results.module.css'
import { monitorPath, type RunAddress, runPath } from './use-run.ts'

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
  const [room, setRoom] = useState(RESULTS)
  const found = useRunBefore(address, other)
  const before = isRefused ? null : found
  const all = run.organic_results ?? []
  const { results, gone } = compareResults(before?.organic_results ?? [], all)
  return (
    <section aria-label="Results">
      <h2 className={style['title']}>Results</h2>
      <Rank run={run} target={target} />
      {run.serp_check && <Check check={run.serp_check} />}
      {before === null && <p className={style['soft']}>There are no earlier results to compare with.</p>}
      {all.length === 0 && <p className={style['soft']}>The search had no results.</p>}
      {all.length > 0 && (
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
              <Row key={moved.result.position} moved={moved} isFirst={before === null} target={target} />
            ))}
          </tbody>
        </table>
      )}
      {all.length > room && (
        <ShowMore shown={room} all={all.length} what="results" step={MORE} onMore={() => setRoom(room + MORE)} />
      )}
      <Gone results={gone} />
    </section>
  )
}

/** Returns the run with the earlier results. Null: there is none, or it is not known yet. */
function useRunBefore(address: RunAddress, other: string | null): Run | null {
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
  return found.data ?? null
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

/** How complete and how sure the results are. */
const Check = ({ check: { source, pages, cut_by: cut, is_guess: isGuess, country } }: CheckProps) => (
  <p className={style['soft']}>
    {source === 'provider' ? 'From the paid provider' : 'From the engine itself'},{' '}
    {pages === 1 ? '1 page' : `${pages} pages`}.
    {cut !== null && ' A later page is missing: the engine did not give it.'}
    {isGuess && ' The layout of the page was unknown, so these results fire nothing.'}
    {country === 'approximate' && ' The check was not made from the country of the search.'}
  </p>
)
interface CheckProps {
  readonly check: NonNullable<Run['serp_check']>
}

interface RowProps {
  readonly moved: MovedResult
  /** There is nothing to compare with. */
  readonly isFirst: boolean
  readonly target: string | null
}

function Row({ moved: { result, was }, isFirst, target }: RowProps) {
  const differs = !isFirst && was !== result.position
  const isOurs = target !== null && (result.domain === target || result.domain.endsWith(`.${target}`))
  return (
    <tr className={isOurs ? style['ours'] : undefined} {...(differs && { 'data-change': '', tabIndex: -1 })}>
      <td>{result.position}</td>
      <td>{!isFirst && <Move position={result.position} was={was} />}</td>
      <td>
        <Found result={result} />
        {isOurs && <span className={style['mark']}>watched</span>}
      </td>
    </tr>
  )
}

function Move({ position, was }: { readonly position: number; readonly was: number | null }) {
  if (was === null) return <span className={tones['good']}>new</span>
  if (was === position) return <span className={style['soft']}>same</span>
  const by = Math.abs(was - position)
  return was > position ? (
    <span className={tones['good']}>▲ {by} up</span>
  ) : (
    <span className={tones['bad']}>▼ {by} down</span>
  )
}

/** The address is a link only if it leads to the web. */
function Found({ result: { title, url, domain, description } }: { readonly result: Result }) {
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
          <LongText text={description} most={300} />
        </span>
      )}
    </>
  )
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
