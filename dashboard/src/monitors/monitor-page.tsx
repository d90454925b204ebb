import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import { COLLECTIONS, type Monitor, type Run, type SerpMonitor } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { usePermission } from '../app/use-me.ts'
import { Ago, every } from '../parts/time.tsx'
import controls from '../style/controls.module.css'
import style from './monitor-page.module.css'
import { RunDetails } from './run-details.tsx'
import { RunList } from './run-list.tsx'
import { REFRESH_MS } from './use-rows.ts'

interface MonitorPageProps {
  readonly kind: keyof typeof COLLECTIONS
  readonly id: string
  /** The run that is shown; null: the list of runs. */
  readonly run: string | null
}

type AnyMonitor = Omit<Monitor, 'url'> & Partial<Pick<Monitor, 'url'>> & Partial<SerpMonitor>
const RUNS = 50

/** A monitor with its last runs, or one of these. */
export function MonitorPage({ kind, id, run }: MonitorPageProps) {
  const path = `/v1/${COLLECTIONS[kind]}/${encodeURIComponent(id)}`
  const monitor = useQuery({
    queryKey: ['monitor', path],
    queryFn: ({ signal }) => ask<AnyMonitor>(path, { signal }),
    refetchInterval: REFRESH_MS,
  })
  const runs = useQuery({
    queryKey: ['runs', path],
    queryFn: ({ signal }) => ask<{ readonly data: readonly Run[] }>(`${path}/runs?limit=${RUNS}`, { signal }),
    refetchInterval: REFRESH_MS,
    enabled: run === null,
  })
  const error = monitor.error ?? runs.error
  const home = `/${COLLECTIONS[kind]}/${id}`
  return (
    <article className={style['page']}>
      <nav className={style['way']} aria-label="Where you are">
        <Link href="/">Monitors</Link>
        {run !== null && monitor.data && (
          <>
            <span aria-hidden="true">/</span>
            <Link href={home}>
              <bdi>{monitor.data.name}</bdi>
            </Link>
          </>
        )}
      </nav>
      {error !== null && <Notice error={error} />}
      {monitor.data && <Head monitor={monitor.data} path={path} />}
      {run !== null && <RunDetails id={run} />}
      {run === null && runs.data && <RunList runs={runs.data.data} home={home} />}
      {monitor.isPending && <p role="status">Loading…</p>}
    </article>
  )
}

const WORDS = {
  active: 'Active',
  paused: 'Paused',
  billing_paused: 'No runs left',
  error: 'Failing',
  deleted: 'Deleted',
} as const

function Head({ monitor, path }: { readonly monitor: AnyMonitor; readonly path: string }) {
  const { name, status, schedule_interval_seconds: interval, next_run_at: next } = monitor
  return (
    <header className={style['head']}>
      <div className={style['title']}>
        <h1>
          <bdi>{name}</bdi>
        </h1>
        <p className={style['facts']}>
          <b className={status === 'error' ? style['bad'] : undefined}>{WORDS[status]}</b>
          <span>{every(interval)}</span>
          {next !== null && (
            <span>
              next check <Ago at={next} />
            </span>
          )}
          <Target monitor={monitor} />
        </p>
      </div>
      <Actions status={status} path={path} />
    </header>
  )
}

/** The address is a link only if it leads to the web. */
function Target({ monitor: { url, keyword, engine, device } }: { readonly monitor: AnyMonitor }) {
  if (url === undefined) return <bdi>{`${keyword} · ${engine} · ${device}`}</bdi>
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return <bdi>{url}</bdi>
  return (
    <a href={parsed.href} target="_blank" rel="noopener noreferrer" className={style['target']}>
      <bdi>{url}</bdi>
    </a>
  )
}

function Actions({ status, path }: { readonly status: AnyMonitor['status']; readonly path: string }) {
  const queries = useQueryClient()
  const mayWrite = usePermission('monitors.write')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  async function act(action: 'run' | 'pause' | 'resume') {
    setBusy(true)
    setError(null)
    await ask(`${path}/${action}`, { method: 'POST' }).catch(setError)
    setBusy(false)
    await queries.invalidateQueries()
  }
  const common = {
    type: 'button',
    className: controls['button'],
    disabled: isBusy || !mayWrite,
    title: mayWrite ? undefined : 'Your role may only read.',
  } as const
  return (
    <div className={style['actions']}>
      {error !== null && <Notice error={error} />}
      <button {...common} onClick={() => void act('run')}>
        Run now
      </button>
      <button {...common} onClick={() => void act(status === 'paused' ? 'resume' : 'pause')}>
        {status === 'paused' ? 'Resume' : 'Pause'}
      </button>
    </div>
  )
}
