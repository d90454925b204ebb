import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ADVICE, FAULTS, REASONS, type Run } from '../api/types.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Ago } from '../parts/time.tsx'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import style from './run.module.css'

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const count = new Intl.NumberFormat('en')

const STATES = {
  running: 'Is running',
  success: 'Succeeded',
  error: 'Failed',
  skipped: 'Was skipped',
} as const
const LAYERS = { static: 'direct request', browser: 'in the browser', proxy: 'through the proxy' } as const

interface RunHeadProps {
  readonly run: Run
  readonly older: string | null
  readonly newer: string | null
  /** What else may be done with it. */
  readonly children: ReactNode
}

/** When and how a run went, with the ways to its neighbours. */
export const RunHead = ({ run, older, newer, children }: RunHeadProps) => (
  <header className={style['head']}>
    <div className={style['title']}>
      <h1>
        Run of <time dateTime={run.started_at}>{whole.format(Date.parse(run.started_at))}</time>
      </h1>
      <p className={style['facts']}>
        <b className={run.status === 'error' ? tones['bad'] : undefined}>{STATES[run.status]}</b>
        <span>
          <Ago at={run.completed_at ?? run.started_at} />
        </span>
        {run.status !== 'running' && <span>took {count.format(run.duration_ms)} ms</span>}
        <Layer run={run} />
        {run.status === 'success' && <Fired run={run} />}
      </p>
    </div>
    {children}
    <nav className={style['actions']} aria-label="Other runs">
      <Neighbour href={older} word="Older" keyName="[" />
      <Neighbour href={newer} word="Newer" keyName="]" />
    </nav>
  </header>
)

function Layer({ run }: { readonly run: Run }) {
  const { fetch_method: layer, fetch_reason: reason, without_media: withoutMedia = false } = run
  if (layer === null) return null
  const how = reason === null ? LAYERS[layer] : `${LAYERS[layer]}: ${REASONS[reason]}`
  return <span>{withoutMedia ? `${how}; without images` : how}</span>
}

/** Why messages of a run did not go out at once. */
const HELD = {
  muted: 'fired while muted',
  digest: 'fired, for a digest',
  quiet_hours: 'fired in quiet hours',
  dropped: 'fired, and was dropped',
} as const

function Fired({ run: { fired, held } }: { readonly run: Pick<Run, 'fired' | 'held'> }) {
  if (held !== undefined) return <span>{HELD[held]}</span>
  return fired !== null && <span>{fired ? 'fired' : 'did not fire'}</span>
}

interface NeighbourProps {
  readonly href: string | null
  readonly word: string
  readonly keyName: string
}

/** Returns why a person cannot go to a run beside this one. */
export const noRun = (word: string): string => `There is no ${word.toLowerCase()} run.`

const Neighbour = ({ href, word, keyName }: NeighbourProps) =>
  href === null ? (
    <ActionButton refused={noRun(word)} onAct={() => {}}>
      {word}
    </ActionButton>
  ) : (
    <Link href={href} className={controls['button']} aria-keyshortcuts={keyName}>
      {word} <kbd aria-hidden="true">{keyName}</kbd>
    </Link>
  )

/** Why a run failed and what a person can do, and what did not fail it. */
export const Trouble = ({ run }: { readonly run: Run }) => (
  <>
    {run.status === 'error' && (
      <section className={style['fault']} aria-label="Why it failed">
        <b>{run.error_code === null ? 'The run failed.' : FAULTS[run.error_code]}</b>
        {run.error_message !== null && (
          <span>
            <LongText text={run.error_message} />
          </span>
        )}
        {run.error_code !== null && <span>What you can do: {ADVICE[run.error_code]}</span>}
      </section>
    )}
    {run.warnings.length > 0 && (
      <ul className={style['warnings']} aria-label="Warnings">
        {run.warnings.map((text, nth) => (
          <li key={nth}>
            <LongText text={text} />
          </li>
        ))}
      </ul>
    )}
  </>
)
