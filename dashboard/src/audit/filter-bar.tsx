import { type ReactNode, useId } from 'react'
import { serverNow } from '../api/client.ts'
import controls from '../style/controls.module.css'
import style from './audit.module.css'
import type { AuditFilters, useFilters } from './filters.ts'
import { type Action, actionWords, TARGETS } from './sentences.ts'
import { useActors } from './use-actors.ts'

interface FilterBarProps {
  readonly filters: AuditFilters
  readonly actions: readonly Action[]
  readonly areEventsRead: boolean
  readonly onChange: ReturnType<typeof useFilters>[1]
}

const TIMES = { '': 'Any time', '1': 'The last 24 hours', '7': 'The last 7 days', '30': 'The last 30 days' } as const
const DAYS = 'days'

/** Returns the day where the person is, as `2026-05-24`. */
const today = (): string => new Date(serverNow()).toLocaleDateString('sv')

/** Who did what to what, and when. All of it stands in the address. */
export function FilterBar({ filters, actions, areEventsRead, onChange }: FilterBarProps) {
  const { who = '', action = '', type = '', target, last = '', from = '', to = '' } = filters
  const actors = useActors(who, areEventsRead)
  const isBetween = from !== '' || to !== ''
  const known = action === '' || actions.includes(action) ? actions : [...actions, action]
  return (
    <div className={style['filters']} role="group" aria-label="What is shown">
      <Select label="Who" value={who} onChoose={(next) => onChange({ who: next })}>
        <option value="">Anybody</option>
        {actors.map(({ title, entries }) => (
          <optgroup key={title} label={title}>
            {entries.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      <Select label="What was done" value={action} onChoose={(next) => onChange({ action: next })}>
        <option value="">Anything</option>
        {known.map((one) => (
          <option key={one} value={one}>
            {actionWords(one)}
          </option>
        ))}
      </Select>
      <Select label="To what" value={type} onChoose={(next) => onChange({ type: next })}>
        <option value="">To anything</option>
        {Object.entries(TARGETS).map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </Select>
      <Select
        label="When"
        value={isBetween ? DAYS : last}
        onChoose={(next) =>
          onChange(next === DAYS ? { last: '', from: today(), to: today() } : { last: next, from: '', to: '' })
        }
      >
        {Object.entries(TIMES).map(([days, word]) => (
          <option key={days} value={days}>
            {word}
          </option>
        ))}
        <option value={DAYS}>Between days…</option>
      </Select>
      {isBetween && (
        <>
          <Day label="From" value={from} onChoose={(next) => onChange({ from: next })} />
          <Day label="To" value={to} onChoose={(next) => onChange({ to: next })} />
        </>
      )}
      {target !== undefined && (
        <button type="button" className={controls['button']} onClick={() => onChange({ target: '' })}>
          Only one target <span aria-hidden="true">×</span>
        </button>
      )}
      {Object.keys(filters).length > 0 && (
        <button type="button" className={controls['quiet']} onClick={() => onChange(NONE)}>
          Show all
        </button>
      )}
    </div>
  )
}

const NONE = { who: '', action: '', type: '', target: '', last: '', from: '', to: '' }

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly children: ReactNode
  onChoose(value: string): void
}

const Select = ({ label, value, children, onChoose }: SelectProps) => (
  <select
    className={controls['select']}
    aria-label={label}
    value={value}
    onChange={({ target }) => onChoose(target.value)}
  >
    {children}
  </select>
)

function Day({ label, value, onChoose }: Omit<SelectProps, 'children'>) {
  const id = useId()
  return (
    <span className={style['day']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="date"
        className={controls['input']}
        value={value}
        onChange={({ target }) => onChoose(target.value)}
      />
    </span>
  )
}
