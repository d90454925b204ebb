import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import { ADVICE, FAULTS, type Run } from '../api/types.ts'
import { refreshMs } from '../live/live-state.ts'
import { Ago } from '../parts/time.tsx'
import type { AnyMonitor, Place } from './any-monitor.ts'
import style from './monitor.module.css'

interface FailingProps {
  readonly monitor: AnyMonitor
  readonly place: Place
}

/** Why a monitor fails, and what a person can do about it. */
export function Failing({
  monitor: { consecutive_failures: failures, managed_by: manager },
  place: { kind, path, home },
}: FailingProps) {
  const { data } = useQuery({
    queryKey: ['failing', path],
    queryFn: ({ signal }) => ask<{ readonly data: readonly Run[] }>(`${path}/runs?status=error&limit=1`, { signal }),
    enabled: failures > 0,
    refetchInterval: refreshMs,
  })
  const run = data?.data[0]
  if (failures === 0 || run === undefined) return null
  const { error_code: code, error_message: message } = run
  return (
    <section aria-label="Why it fails" className={style['failing']}>
      <h2>
        {failures === 1 ? 'The last check failed' : `The last ${failures} checks failed`}, <Ago at={run.started_at} />
      </h2>
      {code !== null && <p>{FAULTS[code]}</p>}
      {message !== null && <p className={style['message']}>{message}</p>}
      <p>
        {code !== null && (
          <>
            <b>What you can do:</b> {ADVICE[code]}{' '}
          </>
        )}
        {kind === 'page' && manager === 'api' && (
          <>
            <Link href={`${home}/edit?again`}>Look at the page again</Link>{' '}
          </>
        )}
        <Link href={`${home}/runs/${run.id}`}>Open the check</Link> <a href="/docs/errors#failed-runs">All reasons</a>
      </p>
    </section>
  )
}
