import { Link } from 'wouter'
import { FAULTS, type Run } from '../api/types.ts'
import { Ago } from '../parts/time.tsx'
import style from './monitor-page.module.css'
import { changesOf, shownValue } from './values.ts'

const SHOWN = 60

/** Runs one below the other; those without a change are one line with their number. */
export function RunList({ runs, home }: { readonly runs: readonly Run[]; readonly home: string }) {
  if (runs.length === 0) return <p className={style['soft']}>It was not checked yet. The first check is on its way.</p>
  return (
    <section aria-label="Runs">
      <h2 className={style['part']}>Runs</h2>
      <ol className={style['runs']}>
        {foldedRuns(runs).map(({ run, count }) => (
          <li key={run.id} className={style['run']}>
            <Link href={`${home}/runs/${run.id}`}>
              <Ago at={run.completed_at ?? run.started_at} />
            </Link>
            <span>{count > 1 ? <span className={style['soft']}>same × {count}</span> : <Found run={run} />}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Found({ run }: { readonly run: Run }) {
  if (run.status === 'running') return <span className={style['soft']}>is running</span>
  if (run.status === 'skipped') return <span className={style['soft']}>was skipped</span>
  if (run.status === 'error')
    return <span className={style['bad']}>{run.error_code === null ? 'failed' : FAULTS[run.error_code]}</span>
  const changes = changesOf(run)
  if (changes.length === 0) return <span className={style['soft']}>same</span>
  return (
    <>
      {changes.slice(0, 3).map(({ field, before, after }) => (
        <span key={field} className={style['change']}>
          <bdi className={style['soft']}>{field}</bdi> <bdi>{shownValue(before, SHOWN)}</bdi> →{' '}
          <bdi>{shownValue(after, SHOWN)}</bdi>
        </span>
      ))}
      {changes.length > 3 && <span className={style['soft']}>{changes.length - 3} more</span>}
    </>
  )
}

/** Joins runs in a row that succeeded without a change. */
function foldedRuns(runs: readonly Run[]): readonly { readonly run: Run; readonly count: number }[] {
  const folded: { run: Run; count: number }[] = []
  for (const run of runs) {
    const last = folded.at(-1)
    if (last && isSame(run) && isSame(last.run)) last.count += 1
    else folded.push({ run, count: 1 })
  }
  return folded
}

const isSame = (run: Run): boolean => run.status === 'success' && changesOf(run).length === 0
