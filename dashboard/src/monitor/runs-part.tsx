import { Link } from 'wouter'
import { FAULTS, type Run } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { changesOf, shownValue, WHOLE_PAGE } from '../monitors/values.ts'
import { Choice } from '../parts/choice.tsx'
import { Icon } from '../parts/icon.tsx'
import { MoreRows } from '../parts/more-rows.tsx'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import { ExportRuns, type ExportRunsProps } from './export-runs.tsx'
import { type Fold, foldedRuns } from './folded-runs.ts'
import style from './monitor.module.css'
import lines from './runs.module.css'
import { inWords } from './series-view.ts'
import { useAddress } from './use-address.ts'
import { SHOWN, useRuns } from './use-runs.ts'

const MOST = 80
const FIELDS = 3
const CHOICES = [
  ['', 'All'],
  ['changed', 'Changed'],
  ['fired', 'Fired'],
  ['failed', 'Failed'],
] as const
const NOTHING = {
  '': 'It was not checked yet. The first check is on its way.',
  changed: 'No check has found a difference.',
  fired: 'No check has found what is to be told of.',
  failed: 'No check has failed.',
} as const

/** What runs of one line say together. */
const SAYING = { success: 'same', error: 'failed', skipped: 'skipped', running: 'running' } as const

const time = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })

const isShown = (text: string): text is keyof typeof SHOWN => Object.hasOwn(SHOWN, text)

/** The runs of a monitor. Which are shown, until which day, and what is unfolded stands in the address. */
export function RunsPart({ place, name }: ExportRunsProps) {
  const { path, home } = place
  const [asked, change] = useAddress()
  const word = asked.get('runs') ?? ''
  const shown = isShown(word) ? word : ''
  const day = asked.get('day') ?? ''
  const list = useRuns(path, shown, day)
  const { runs, error, hasMore } = list
  return (
    <section aria-label="Runs" className={style['section']}>
      <Tools shown={shown} day={day} onChange={change} />
      {error !== null && <Notice error={error} />}
      {runs === null && error === null && <p role="status">Loading…</p>}
      {runs?.length === 0 && (
        <p className={tones['soft']}>{hasMore ? 'None of the runs that were looked at.' : nothingOf(shown, day)}</p>
      )}
      {runs !== null && runs.length > 0 && (
        <List runs={runs} home={home} onlyFound={shown === 'changed' || shown === 'fired'} />
      )}
      <MoreRows list={list}>Show older runs</MoreRows>
      {runs !== null && runs.length > 0 && <ExportRuns place={place} name={name} />}
    </section>
  )
}

interface ToolsProps {
  readonly shown: keyof typeof SHOWN
  readonly day: string
  readonly onChange: ReturnType<typeof useAddress>[1]
}

const Tools = ({ shown, day, onChange }: ToolsProps) => (
  <div className={style['tools']}>
    <h2 className={style['part']}>Runs</h2>
    <Choice label="Which runs" value={shown} choices={CHOICES} onChoose={(runs) => onChange({ runs, open: '' })} />
    <label className={lines['day']}>
      Jump to
      <input
        type="date"
        className={controls['input']}
        value={day}
        onChange={(event) => onChange({ day: event.target.value, open: '' })}
      />
    </label>
    {day !== '' && (
      <button type="button" className={controls['quiet']} onClick={() => onChange({ day: '' })}>
        Newest
      </button>
    )}
  </div>
)

interface ListProps {
  readonly runs: readonly Run[]
  readonly home: string
  readonly onlyFound: boolean
}

function List({ runs, home, onlyFound }: ListProps) {
  const [asked, change] = useAddress()
  const open = asked.get('open') ?? ''
  return (
    <ol className={lines['runs']}>
      {foldedRuns(runs, onlyFound).map((fold) => (
        <Folded
          key={fold.key}
          fold={fold}
          home={home}
          isOpen={fold.runs.some(({ id }) => id === open)}
          onToggle={(isOpen) => change({ open: isOpen ? fold.key : '' })}
        />
      ))}
    </ol>
  )
}

const nothingOf = (shown: keyof typeof SHOWN, day: string): string =>
  day === '' ? NOTHING[shown] : `There are none until the end of ${day}.`

interface FoldedProps {
  readonly fold: Fold
  readonly home: string
  readonly isOpen: boolean
  onToggle(isOpen: boolean): void
}

/** Runs that say the same as one line, which opens. */
function Folded({ fold: { runs, hasFound }, home, isOpen, onToggle }: FoldedProps) {
  const [newest, oldest] = [runs[0], runs.at(-1)]
  if (newest === undefined || oldest === undefined) return null
  if (runs.length === 1) return <Line run={newest} home={home} hasFound={hasFound} />
  return (
    <>
      <li className={lines['run']}>
        <Time run={newest} home={home} />
        <span>
          <button type="button" className={lines['fold']} aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
            <Icon name="down" />
            {`${SAYING[newest.status]} ×${runs.length} since ${time.format(Date.parse(oldest.started_at))}`}
          </button>
          {newest.status === 'error' && <Found run={newest} hasFound={hasFound} />}
        </span>
      </li>
      {isOpen && (
        <li>
          <ol className={lines['inner']} aria-label={`${runs.length} runs`}>
            {runs.map((run) => (
              <Line key={run.id} run={run} home={home} hasFound={false} />
            ))}
          </ol>
        </li>
      )}
    </>
  )
}

interface LineProps {
  readonly run: Run
  readonly home: string
  readonly hasFound: boolean
}

const Line = ({ run, home, hasFound }: LineProps) => (
  <li className={lines['run']}>
    <Time run={run} home={home} />
    <span>
      <Found run={run} hasFound={hasFound} />
    </span>
    <span className={tones['soft']}>
      {run.fired === true && <b className={lines['fired']}>fired</b>} {run.status !== 'running' && ms(run.duration_ms)}
    </span>
  </li>
)

const ms = (duration: number): string => (duration < 10_000 ? `${duration} ms` : `${Math.round(duration / 1000)} s`)

function Time({ run, home }: Omit<LineProps, 'hasFound'>) {
  const at = Date.parse(run.completed_at ?? run.started_at)
  return (
    <Link href={`${home}/runs/${run.id}`} title={whole.format(at)}>
      <time dateTime={new Date(at).toISOString()}>{time.format(at)}</time>
    </Link>
  )
}

function Found({ run, hasFound }: Omit<LineProps, 'home'>) {
  if (run.status === 'running') return <span className={tones['soft']}>is running</span>
  if (run.status === 'skipped') return <span className={tones['soft']}>was skipped</span>
  if (run.status === 'error')
    return <span className={tones['bad']}>{run.error_code === null ? 'failed' : FAULTS[run.error_code]}</span>
  if (!hasFound) return <span className={tones['soft']}>same</span>
  const changes = changesOf(run)
  return (
    <>
      {(run.rank_delta ?? 0) !== 0 && <Rank run={run} />}
      {changes.length === 0 &&
        (run.rank_delta ?? 0) === 0 &&
        (run.organic_results ? 'other results' : 'another picture')}
      {changes.slice(0, FIELDS).map(({ field, before, after }) => (
        <span key={field} className={lines['change']}>
          {field === WHOLE_PAGE ? (
            'the text of the page'
          ) : (
            <>
              <bdi className={tones['soft']}>{field}</bdi> <bdi>{shownValue(before, MOST)}</bdi> →{' '}
              <bdi>{shownValue(after, MOST)}</bdi>
            </>
          )}
        </span>
      ))}
      {changes.length > FIELDS && <span className={tones['soft']}>{changes.length - FIELDS} more</span>}
    </>
  )
}

/** A rank before and after: a positive move is towards the first place. */
const Rank = ({ run: { target_rank: rank = null, rank_delta: delta } }: { readonly run: Run }) => (
  <span className={lines['change']}>
    <span className={tones['soft']}>rank</span> {inWords('rank', (rank ?? 0) + (delta ?? 0))} → {inWords('rank', rank)}
  </span>
)
