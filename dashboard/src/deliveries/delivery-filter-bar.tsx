import { Link } from 'wouter'
import type { DeliveryCounts } from '../api/types.ts'
import { Chips } from '../parts/chips.tsx'
import bar from '../parts/filter-bar.module.css'
import { SearchField } from '../parts/search-field.tsx'
import controls from '../style/controls.module.css'
import style from './deliveries.module.css'
import { type DeliveryFilters, queryOf, type useFilters, WITHIN } from './delivery-filters.ts'
import type { Listed } from './use-deliveries.ts'
import { CHANNELS } from './words.ts'

interface DeliveryFilterBarProps {
  readonly filters: DeliveryFilters
  readonly counts: DeliveryCounts | null
  /** One of the deliveries that the filters leave. Null: there is none, or they are being read. */
  readonly first: Listed | null
  readonly onChange: ReturnType<typeof useFilters>[1]
}

/** What is shown by one chip, of the filters that stand for a state. */
const STATES = [
  { word: 'All', set: {}, count: (counts: DeliveryCounts) => counts.total },
  { word: 'Given up', set: { given_up: 'true' }, count: (counts: DeliveryCounts) => counts.given_up },
  {
    word: 'Tried again',
    set: { status: 'failed', given_up: 'false' },
    count: ({ failed, dead, given_up: ended }: DeliveryCounts) => failed + dead - ended,
  },
  { word: 'Held', set: { held: 'true' }, count: (counts: DeliveryCounts) => counts.held },
  {
    word: 'On the way',
    set: { status: 'pending', held: 'false' },
    count: ({ pending, held }: DeliveryCounts) => pending - held,
  },
  { word: 'Delivered', set: { status: 'success' }, count: (counts: DeliveryCounts) => counts.success },
] as const satisfies readonly {
  readonly word: string
  readonly set: DeliveryFilters
  count(counts: DeliveryCounts): number
}[]

const NONE = { status: undefined, given_up: undefined, missed: undefined, held: undefined }

/** Chips with counts, the search, what it was sent by and when. All of it stands in the address. */
export const DeliveryFilterBar = ({ filters, counts, first, onChange }: DeliveryFilterBarProps) => (
  <div className={bar['bar']}>
    <StateChips filters={filters} counts={counts} onChange={onChange} />
    <div className={bar['fields']}>
      <SearchField
        place="deliveries"
        label="Search names of monitors and hosts"
        text={filters.q ?? ''}
        onChange={(q) => onChange({ q })}
      />
      <select
        className={controls['select']}
        aria-label="Sent by"
        value={channelIn(filters)}
        onChange={({ target: { value } }) => onChange({ type: undefined, service: undefined, ...pairOf(value) })}
      >
        <option value="">Any channel</option>
        {CHANNELS.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
      <Time filters={filters} onChange={onChange} />
    </div>
    <Narrowed filters={filters} first={first} />
  </div>
)

function StateChips({ filters, counts, onChange }: Omit<DeliveryFilterBarProps, 'first'>) {
  const { status, given_up: givenUp, missed, held } = filters
  const state = stateQuery({ status, given_up: givenUp, missed, held })
  const chosen = STATES.find(({ set }) => stateQuery(set) === state)?.word ?? null
  return (
    <Chips
      chips={STATES.map(({ word, count }) => ({
        id: word,
        word,
        count: counts === null ? undefined : count(counts),
        isBad: word === 'Given up',
      }))}
      chosen={chosen}
      onChoose={(id) => onChange({ ...NONE, ...(id !== chosen && STATES.find(({ word }) => word === id)?.set) })}
    />
  )
}

const stateQuery = (state: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(state).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString()

const channelIn = ({ type, service }: DeliveryFilters): string =>
  service ? `service=${service}` : type ? `type=${type}` : ''

function pairOf(value: string): DeliveryFilters {
  const [name = '', word = ''] = value.split('=')
  return value === '' ? {} : { [name]: word }
}

const BETWEEN = 'between'

function Time({ filters, onChange }: Pick<DeliveryFilterBarProps, 'filters' | 'onChange'>) {
  const { within, from, to } = filters
  const isBetween = within === BETWEEN || (within === undefined && (from !== undefined || to !== undefined))
  return (
    <>
      <select
        className={controls['select']}
        aria-label="Made"
        value={isBetween ? BETWEEN : (within ?? '')}
        onChange={({ target: { value } }) => onChange({ within: value, from: undefined, to: undefined })}
      >
        <option value="">At any time</option>
        {Object.entries(WITHIN).map(([value, [word]]) => (
          <option key={value} value={value}>
            In {word}
          </option>
        ))}
        <option value={BETWEEN}>From a day to a day…</option>
      </select>
      {isBetween && (
        <>
          <Day label="From" day={dayOf(from)} onChange={(day) => onChange({ from: day && startOf(day) })} />
          <Day label="To" day={dayOf(to, -1)} onChange={(day) => onChange({ to: day && startOf(day, 1) })} />
        </>
      )}
    </>
  )
}

/** Returns the day of an instant by the clock of the person, as `2026-05-24`. Empty: it is none. */
function dayOf(at: string | undefined, laterMs = 0): string {
  const ms = Date.parse(at ?? '') + laterMs
  return Number.isFinite(ms) ? new Date(ms).toLocaleDateString('sv') : ''
}

/** Returns when a day begins by the clock of the person, or one so many days later. Undefined: the text has none. */
function startOf(day: string, later = 0): string | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return year < 2_000 ? undefined : new Date(year, month - 1, date + later).toISOString()
}

interface DayProps {
  readonly label: string
  /** As `2026-05-24`. Empty: none is chosen. */
  readonly day: string
  onChange(day: string | undefined): void
}

/** A day by the clock of the person. A typed day counts when the field is left: a part of it would be another day. */
const Day = ({ label, day, onChange }: DayProps) => (
  <label className={style['day']}>
    {label}
    <input
      key={day}
      type="date"
      className={controls['input']}
      defaultValue={day}
      onBlur={({ target: { value } }) => value !== day && onChange(value === '' ? undefined : value)}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  </label>
)

/** That the list is of what is missed, or of one monitor or destination, by its name in a row, and the way to all. */
function Narrowed({ filters, first }: Pick<DeliveryFilterBarProps, 'filters' | 'first'>) {
  const { monitor_id: monitor, destination, ...others } = filters
  const { missed, ...ofAnyMonitor } = filters
  // Rows of the filters before are shown until the others arrive.
  const ofMonitor = first?.monitor_id === monitor ? first : null
  const ofDestination = first?.destination_key === destination ? first : null
  return (
    <>
      {missed === 'true' && (
        <p className={style['narrowed']}>
          Only given-up ones whose destination is still one of their monitor.{' '}
          <Link href={pathOf({ ...ofAnyMonitor, given_up: 'true' })}>Show all that were given up</Link>
        </p>
      )}
      {monitor !== undefined && (
        <p className={style['narrowed']}>
          Only those of {ofMonitor ? <bdi>{ofMonitor.monitor.name}</bdi> : 'one monitor'}.{' '}
          <Link href={pathOf({ ...others, destination })}>Show those of all monitors</Link>
        </p>
      )}
      {destination !== undefined && (
        <p className={style['narrowed']}>
          Only those to {ofDestination ? <bdi>{ofDestination.destination}</bdi> : 'one destination'}.{' '}
          <Link href={pathOf({ ...others, monitor_id: monitor })}>Show those to all destinations</Link>
        </p>
      )}
    </>
  )
}

function pathOf(filters: { readonly [Name in keyof DeliveryFilters]: DeliveryFilters[Name] | undefined }): string {
  const query = queryOf(filters as DeliveryFilters)
  return `/deliveries${query && '?'}${query}`
}
