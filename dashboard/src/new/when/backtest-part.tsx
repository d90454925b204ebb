import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../../api/client.ts'
import type { Backtest, DiffPredicate } from '../../api/types.ts'
import { Ago } from '../../parts/time.tsx'
import controls from '../../style/controls.module.css'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'
import { useSettled } from '../what/use-settled.ts'

interface BacktestPartProps {
  /** Of the API. */
  readonly path: string
  /** Of the dashboard. */
  readonly home: string
  readonly predicate: DiffPredicate
}

/** Runs that are listed. */
const SHOWN = 10
const PAUSE_MS = 300

/** How often the condition would have fired on the changes of the past. */
export function BacktestPart({ path, home, predicate }: BacktestPartProps) {
  const [isAsked, setAsked] = useState(false)
  const settled = useSettled(predicate, PAUSE_MS)
  const { data, error } = useQuery({
    queryKey: ['backtest', path, settled],
    queryFn: ({ signal }) =>
      ask<Backtest>(`${path}/backtest`, { method: 'POST', body: { diff_predicate: settled }, signal }),
    enabled: isAsked,
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const fired = data?.runs.filter(({ fires }) => fires) ?? []
  return (
    <section aria-label="In the past" className={`${style['part']} ${style['past']}`}>
      <h2>In the past</h2>
      {!isAsked && (
        <p>
          <button type="button" className={controls['button']} onClick={() => setAsked(true)}>
            Would it have fired?
          </button>
        </p>
      )}
      {error !== null && (
        <p role="alert" className={style['fault']}>
          {sentenceOf(error)}
        </p>
      )}
      {data && (
        <p role="status">
          It would have fired <b>{data.would_fire.toLocaleString('en')} times</b> in the{' '}
          {data.changes.toLocaleString('en')} changes that are kept.
        </p>
      )}
      {fired.length > 0 && (
        <ul className={style['places']}>
          {fired.slice(0, SHOWN).map(({ run_id: run, started_at: at, conditions }) => (
            <li key={run}>
              <Link href={`${home}/runs/${run}`}>
                <Ago at={at} />
              </Link>{' '}
              <bdi>{conditions.find(({ holds }) => holds)?.why}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
