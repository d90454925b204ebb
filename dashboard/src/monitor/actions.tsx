import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import { explain, isPassing } from '../api/faults.ts'
import { FAULTS, type Run } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { usePermission } from '../app/use-me.ts'
import { useCommands } from '../parts/commands.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import type { AnyMonitor, Place } from './any-monitor.ts'
import { hasFound } from './folded-runs.ts'
import style from './monitor.module.css'
import { MuteButton } from './mute-part.tsx'

interface ActionsProps {
  readonly monitor: AnyMonitor
  readonly place: Place
}
type Act = 'run' | 'pause' | 'resume'

const DOING = { run: 'Asking for a check…', pause: 'Pausing…', resume: 'Resuming…' } as const
const DONE = { run: '', pause: 'It is paused.', resume: 'It is checked again.' } as const

/** Returns why it is neither checked, paused nor resumed. Null: it can be. */
const refusalOf = (mayWrite: boolean, { status }: AnyMonitor): string | null => {
  if (!mayWrite) return 'Your role may only read.'
  return status === 'billing_paused' ? 'The plan does not cover it.' : null
}

/** Checks a monitor now, pauses and resumes it. What comes of it is said below. */
export function Actions({ monitor, place }: ActionsProps) {
  const { id, name, status } = monitor
  const { kind, path, home } = place
  const queries = useQueryClient()
  const mayWrite = usePermission('monitors.write')
  const refused = refusalOf(mayWrite, monitor)
  const [error, setError] = useState<unknown>(null)
  const [doing, setDoing] = useState<Act | null>(null)
  const [done, setDone] = useState('')
  const [run, setRun] = useState<string | null>(null)
  async function act(action: Act) {
    if (refused !== null || doing !== null) return
    setDoing(action)
    setError(null)
    setDone('')
    setRun(null)
    try {
      const answer = await ask<{ readonly run_id?: string }>(`${path}/${action}`, { method: 'POST' })
      setRun(answer.run_id ?? null)
      setDone(DONE[action])
    } catch (fault) {
      setError(fault)
    }
    setDoing(null)
    await queries.invalidateQueries()
  }
  const toggle = status === 'paused' ? 'resume' : 'pause'
  const word = toggle === 'resume' ? 'Resume' : 'Pause'
  useCommands([
    { id: 'run', title: `Run now: ${name}`, refused, act: () => void act('run') },
    { id: toggle, title: `${word}: ${name}`, refused, act: () => void act(toggle) },
  ])
  useShortcut('monitor', 'r', () => void act('run'))
  useShortcut('monitor', 'p', () => void act(toggle))
  const common = {
    type: 'button',
    className: controls['button'],
    disabled: doing !== null || refused !== null,
    'aria-describedby': refused === null ? undefined : 'why-not',
  } as const
  return (
    <div className={style['actions']}>
      <button {...common} onClick={() => void act('run')}>
        Run now
      </button>
      <button {...common} onClick={() => void act(toggle)}>
        {word}
      </button>
      <MuteButton monitor={monitor} place={place} />
      {refused !== null && (
        <span id="why-not" className={tones['soft']}>
          {refused}
        </span>
      )}
      {mayWrite && (
        <>
          <Link href={`${home}/edit`} className={controls['button']}>
            Edit
          </Link>
          <Link
            href={`/new${kind === 'serp' ? '/search' : ''}?${new URLSearchParams({ from: id })}`}
            className={controls['button']}
          >
            Duplicate
          </Link>
        </>
      )}
      <p role="status" className={style['progress']}>
        {doing === null ? done : DOING[doing]}
        {run !== null && <Progress id={run} />}
      </p>
      {error !== null && <Notice error={error} />}
    </div>
  )
}

/** How a check that somebody asked for goes, until it ends. */
function Progress({ id }: { readonly id: string }) {
  const queries = useQueryClient()
  const { data: run, error } = useQuery({
    queryKey: ['run', 'asked', id],
    queryFn: ({ signal }) => ask<Run>(`/v1/runs/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: ({ state: { data, error: fault } }) =>
      (fault === null || isPassing(fault)) && (data === undefined || data.status === 'running') ? 1_000 : false,
  })
  const hasEnded = run !== undefined && run.status !== 'running'
  useEffect(() => {
    // What the screen shows besides was read before the check ended.
    if (hasEnded) void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'asked' })
  }, [hasEnded, queries])
  if (error !== null && !isPassing(error)) return explain(error).what
  if (!hasEnded) return 'It is being checked…'
  if (run.status === 'error') return `The check failed. ${run.error_code === null ? '' : FAULTS[run.error_code]}`
  return hasFound(run) ? 'It was checked: something changed.' : 'It was checked: nothing changed.'
}
