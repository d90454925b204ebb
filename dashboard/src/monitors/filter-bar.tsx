import { Link, useLocation } from 'wouter'
import { FAULTS, ORDERS } from '../api/types.ts'
import { usePermission } from '../app/use-me.ts'
import { Chips } from '../parts/chips.tsx'
import style from '../parts/filter-bar.module.css'
import { SearchField } from '../parts/search-field.tsx'
import { useShortcut } from '../parts/use-shortcut.ts'
import controls from '../style/controls.module.css'
import type { Filters, useFilters } from './filters.ts'
import type { Counts } from './use-counts.ts'

interface FilterBarProps {
  readonly filters: Filters
  readonly counts: Counts | null
  readonly onChange: ReturnType<typeof useFilters>[1]
}

const ORDER_WORDS: Readonly<Record<(typeof ORDERS)[number], string>> = {
  '-last_change': 'Changed last',
  last_change: 'Changed longest ago',
  '-failures': 'Failures, most first',
  failures: 'Failures, fewest first',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  '-last_run': 'Checked last',
  last_run: 'Checked longest ago',
  '-created': 'Newest',
  created: 'Oldest',
  keyword: 'Keyword',
}
const SHOWN_ORDERS = ['-last_change', '-failures', 'name', '-last_run', '-created'] as const
/** Chips with counts, the search, labels and the order. All of it stands in the address. */
export const FilterBar = ({ filters, counts, onChange }: FilterBarProps) => (
  <div className={style['bar']}>
    <StateChips filters={filters} counts={counts} onChange={onChange} />
    <div className={style['fields']}>
      <SearchField
        place="list"
        label="Search names and addresses"
        text={filters.q ?? ''}
        onChange={(q) => onChange({ q })}
      />
      {filters.failing === 'true' && counts !== null && counts.by_error.length > 0 && (
        <select
          className={controls['select']}
          aria-label="Reason of failure"
          value={filters.error_code ?? ''}
          onChange={(event) => onChange({ error_code: event.target.value })}
        >
          <option value="">Any reason</option>
          {counts.by_error.map(({ error_code: code, count }) => (
            <option key={code} value={code} title={FAULTS[code]}>
              {code.replaceAll('_', ' ')} ({count})
            </option>
          ))}
        </select>
      )}
      <Labels label={filters.label ?? ''} counts={counts} onChange={(label) => onChange({ label })} />
      <select
        className={`${controls['select']} ${style['narrow']}`}
        aria-label="Order"
        value={filters.sort ?? '-last_change'}
        onChange={({ target: { value } }) => onChange({ sort: value === '-last_change' ? undefined : value })}
      >
        {ORDERS.filter((order) => (SHOWN_ORDERS as readonly string[]).includes(order) || order === filters.sort).map(
          (order) => (
            <option key={order} value={order}>
              {ORDER_WORDS[order]}
            </option>
          ),
        )}
      </select>
      <NewMonitor />
    </div>
  </div>
)

/** Leads to the screen that makes a monitor. To who may only read, that screen says so. */
function NewMonitor() {
  const [, go] = useLocation()
  const mayWrite = usePermission('monitors.write')
  useShortcut('list', 'n', () => go('/new'))
  return (
    mayWrite && (
      <Link href="/new" className={`${controls['button']} ${controls['main']}`} aria-keyshortcuts="n">
        New monitor
      </Link>
    )
  )
}

const NONE = {
  unseen: undefined,
  failing: undefined,
  status: undefined,
  locked: undefined,
  muted: undefined,
  kind: undefined,
  error_code: undefined,
}

function StateChips({ filters, counts, onChange }: FilterBarProps) {
  const ofStatus = (status: string) => counts?.by_status.find((one) => one.status === status)?.count ?? 0
  const ofKind = (kind: string) => counts?.by_kind.find((one) => one.kind === kind)?.count ?? 0
  const isAll =
    !filters.unseen && !filters.failing && !filters.status && !filters.locked && !filters.muted && !filters.kind
  const chips = [
    { word: 'All', count: counts?.total, isOn: isAll, set: {} },
    { word: 'Changed', count: counts?.unseen, isOn: filters.unseen === 'true', set: { unseen: 'true' } },
    { word: 'Failing', count: counts?.failing, isOn: filters.failing === 'true', set: { failing: 'true' } },
    { word: 'Paused', count: ofStatus('paused'), isOn: filters.status === 'paused', set: { status: 'paused' } },
    { word: 'Muted', count: counts?.muted, isOn: filters.muted === 'true', set: { muted: 'true' } },
    { word: 'Locked', count: counts?.locked, isOn: filters.locked === 'true', set: { locked: 'true' } },
    { word: 'Pages', count: ofKind('page'), isOn: filters.kind === 'page', set: { kind: 'page' } },
    { word: 'Searches', count: ofKind('serp'), isOn: filters.kind === 'serp', set: { kind: 'serp' } },
  ]
  return (
    <Chips
      chips={chips.map(({ word, count }) => ({ id: word, word, count, isBad: word === 'Failing' }))}
      chosen={chips.find(({ isOn }) => isOn)?.word ?? null}
      onChoose={(id) => {
        const chip = chips.find(({ word }) => word === id)
        onChange({ ...NONE, ...(chip?.isOn === false && chip.set) })
      }}
    />
  )
}

interface LabelsProps {
  readonly label: string
  readonly counts: Counts | null
  onChange(label: string): void
}

function Labels({ label, counts, onChange }: LabelsProps) {
  const all = (counts?.labels ?? []).map(({ key, value, count }) => ({ text: `${key}=${value}`, count }))
  if (label === '' && all.length === 0) return null
  return (
    <select
      className={`${controls['select']} ${style['narrow']}`}
      aria-label="Label"
      value={label}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">Any label</option>
      {label !== '' && !all.some(({ text }) => text === label) && <option value={label}>{label}</option>}
      {all.map(({ text, count }) => (
        <option key={text} value={text}>
          {text} ({count})
        </option>
      ))}
    </select>
  )
}
