import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import type { Run, Series } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'
import { changesOf, shownValue, WHOLE_PAGE } from '../monitors/values.ts'
import { Ago } from '../parts/time.tsx'
import tones from '../style/tones.module.css'
import type { Place } from './any-monitor.ts'
import style from './head.module.css'
import { inWords } from './series-view.ts'

const MOST = 200
/** So many changes are looked at for the last one of the field that is shown. */
const CHANGES = 20
/** So many rules that find nothing are named. */
const NAMED = 5

/** What a monitor shows now. */
interface Now {
  readonly field: string
  readonly text: string
  /** Since when. Null: since before what is kept. */
  readonly since: string | null
  readonly before: string | null
  /** The run that found it. */
  readonly run: string | null
  /** The rules that find nothing. */
  readonly missing: readonly string[]
}

interface Runs {
  readonly data: readonly Run[]
}

interface ValueNowProps {
  readonly place: Place
  /** It is edited in the dashboard, and not where it is declared. */
  readonly mayEdit: boolean
}

/** The value now, since when, and what it was before. */
export function ValueNow({ place: { kind, path, home }, mayEdit }: ValueNowProps) {
  const { data: now } = useQuery({
    queryKey: ['now', path],
    queryFn: ({ signal }) => (kind === 'serp' ? searchNow(path, signal) : pageNow(path, signal)),
    refetchInterval: refreshMs,
  })
  if (!now) return null
  const { field, text, since, before, run, missing } = now
  return (
    <>
      <p className={style['now']}>
        <span className={tones['soft']}>
          <bdi>{field === WHOLE_PAGE ? 'the page' : field}</bdi>
        </span>
        <b>
          <bdi>{field === WHOLE_PAGE ? 'its text' : text}</bdi>
        </b>
        {since !== null && (
          <span className={tones['soft']}>
            since{' '}
            {run === null ? (
              <Ago at={since} />
            ) : (
              <Link href={`${home}/runs/${run}`}>
                <Ago at={since} />
              </Link>
            )}
          </span>
        )}
        {before !== null && field !== WHOLE_PAGE && (
          <span className={tones['soft']}>
            before <bdi>{before}</bdi>
          </span>
        )}
      </p>
      {missing.length > 0 && (
        <p className={style['warning']}>
          The page has no <bdi>{missing.slice(0, NAMED).join(', ')}</bdi> now.{' '}
          {mayEdit && (
            <Link href={`${home}/edit?${new URLSearchParams({ again: missing[0] ?? '' })}`}>Point again</Link>
          )}
        </p>
      )}
    </>
  )
}

async function pageNow(path: string, signal: AbortSignal): Promise<Now | null> {
  const [last, changed] = await Promise.all(
    ['status=success&limit=1', `changed=true&limit=${CHANGES}`].map((query) =>
      ask<Runs>(`${path}/runs?${query}`, { signal }),
    ),
  )
  const values = last?.data[0]?.extracted ?? {}
  const [field] = Object.keys(values)
  if (field === undefined) return null
  const text = shownValue(values[field], MOST)
  const run = changed?.data.find((one) => changesOf(one).some((of) => of.field === field))
  const change = run && changesOf(run).find((of) => of.field === field)
  return {
    field,
    text,
    since: run?.completed_at ?? null,
    before: change ? shownValue(change.before, MOST) : null,
    run: run?.id ?? null,
    missing: Object.keys(values).filter((name) => values[name] === null),
  }
}

async function searchNow(path: string, signal: AbortSignal): Promise<Now | null> {
  const { field, points } = await ask<Series>(`${path}/series`, { signal })
  const [last, previous] = [points.at(-1), points.at(-2)]
  if (field === null || last === undefined) return null
  return {
    field,
    text: inWords(field, last.value),
    since: last.at,
    before: previous === undefined ? null : inWords(field, previous.value),
    run: last.run_id,
    missing: [],
  }
}
