import { STATUS_PAGE_LIMITS } from '../api/access.ts'
import { withCodes } from '../parts/with-codes.ts'
import controls from '../style/controls.module.css'
import { moved, type ShownMonitor } from './draft.ts'
import style from './status.module.css'

interface ChosenMonitorsProps {
  readonly monitors: readonly ShownMonitor[]
  onChange(monitors: readonly ShownMonitor[]): void
}

/** The monitors of a list, each with the name that everybody sees. */
export function ChosenMonitors({ monitors, onChange }: ChosenMonitorsProps) {
  if (monitors.length === 0) return <p className={style['soft']}>None is chosen yet. Look for one, and add it.</p>
  const edit = (nth: number, part: Partial<ShownMonitor>) =>
    onChange(monitors.map((one, at) => (at === nth ? { ...one, ...part } : one)))
  return (
    <ol className={style['chosen']} aria-label="Monitors of the page">
      {monitors.map((one, nth) => (
        <ChosenMonitor
          key={one.monitor_id}
          monitor={one}
          nth={nth}
          onEdit={(part) => edit(nth, part)}
          onMove={(by) => onChange(moved(monitors, nth, by))}
          onRemove={() => onChange(monitors.toSpliced(nth, 1))}
        />
      ))}
    </ol>
  )
}

interface ChosenMonitorProps {
  readonly monitor: ShownMonitor
  readonly nth: number
  onEdit(part: Partial<ShownMonitor>): void
  onMove(by: -1 | 1): void
  onRemove(): void
}

function ChosenMonitor({ monitor: { name, show_value: isShown }, nth, onEdit, onMove, onRemove }: ChosenMonitorProps) {
  const called = withCodes(name.trim() === '' ? `monitor ${nth + 1}` : name)
  return (
    <li>
      <input
        className={controls['input']}
        aria-label={`Public name ${nth + 1}`}
        value={name}
        maxLength={STATUS_PAGE_LIMITS.name}
        autoComplete="off"
        onChange={({ target }) => onEdit({ name: target.value })}
      />
      <label className={style['value']}>
        <input
          type="checkbox"
          checked={isShown}
          aria-label={`Show the value of ${called}`}
          onChange={({ target }) => onEdit({ show_value: target.checked })}
        />
        with its value
      </label>
      <span className={style['acts']}>
        <button type="button" className={controls['quiet']} aria-label={`Up: ${called}`} onClick={() => onMove(-1)}>
          ↑
        </button>
        <button type="button" className={controls['quiet']} aria-label={`Down: ${called}`} onClick={() => onMove(1)}>
          ↓
        </button>
        <button type="button" className={controls['quiet']} aria-label={`Leave out: ${called}`} onClick={onRemove}>
          Leave out
        </button>
      </span>
    </li>
  )
}
