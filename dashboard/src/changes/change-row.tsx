import { Link } from 'wouter'
import { pathOf } from '../monitors/cells.tsx'
import { WHOLE_PAGE } from '../monitors/values.ts'
import { Beside } from '../parts/beside.tsx'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import style from './changes.module.css'
import type { Change } from './use-changes.ts'

/** So many fields stand in a row. The run shows all of them. */
const FIELDS = 3

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })
const percent = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })

interface ChangeRowProps {
  readonly change: Change
  /** How many changes of its monitor the row stands for. */
  readonly count?: number
  onSee(): void
  onUnsee(): void
}

/** A change: which monitor, what was before and after, and what was sent. */
export function ChangeRow({ change, count = 1, onSee, onUnsee }: ChangeRowProps) {
  const { monitor, at, seen } = change
  return (
    <li className={style['row']} data-row={change.run_id}>
      <span className={style['mark']}>{!seen && <span className={style['dot']} role="img" aria-label="unseen" />}</span>
      <time className={style['time']} dateTime={at} title={whole.format(Date.parse(at))}>
        {clock.format(Date.parse(at))}
      </time>
      <span className={style['monitor']}>
        <Link href={`${pathOf(monitor)}/runs/${change.run_id}`}>
          <bdi>{monitor.name}</bdi>
        </Link>
        {count > 1 && <span className={tones['soft']}> {count} changes</span>}
      </span>
      <span className={style['what']}>
        <Found change={change} />
      </span>
      <span className={style['outcome']}>
        <Outcome change={change} />
      </span>
      <button
        type="button"
        className={controls['quiet']}
        onClick={seen ? onUnsee : onSee}
        aria-label={`${seen ? 'Mark unseen' : 'Mark seen'}: the change of ${monitor.name}`}
      >
        {seen ? 'Mark unseen' : 'Mark seen'}
      </button>
    </li>
  )
}

function Found({ change: { fields, more, visual_change_pct: pictured } }: { readonly change: Change }) {
  const hidden = more + Math.max(0, fields.length - FIELDS)
  return (
    <>
      {fields.slice(0, FIELDS).map(({ field, before, after, percent: by }) => (
        <span key={field} className={style['field']}>
          <bdi className={tones['soft']}>{field === WHOLE_PAGE ? 'page' : field}</bdi>{' '}
          {field === WHOLE_PAGE ? 'its text' : <Beside before={before} after={after} />}
          {by !== null && <span className={style['percent']}>{percent.format(by)} %</span>}
        </span>
      ))}
      {pictured !== null && <span className={style['field']}>{percent.format(pictured)} % of the picture</span>}
      {hidden > 0 && <span className={tones['soft']}>and {hidden} more</span>}
    </>
  )
}

const OUTCOMES = [
  ['success', 'delivered', 'good'],
  ['pending', 'on the way', 'soft'],
  ['failed', 'failed', 'bad'],
  ['dead', 'given up', 'bad'],
] as const

/** What was sent, or why nothing was. */
function Outcome({ change: { deliveries, silence } }: { readonly change: Change }) {
  if (silence !== null) return <span className={tones['soft']}>{silence}</span>
  return OUTCOMES.filter(([status]) => deliveries[status] > 0).map(([status, word, look]) => (
    <span key={status} className={tones[look]}>
      {deliveries[status]} {word}
    </span>
  ))
}
