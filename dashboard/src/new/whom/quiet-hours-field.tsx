import type { DeliveryConfig } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'
import { ownZone, ZoneInput } from './zone-input.tsx'

type QuietHours = NonNullable<DeliveryConfig['quiet_hours']>

interface QuietHoursFieldProps {
  /** Which destinations it is about, for a screen reader. */
  readonly of: string
  readonly hours: QuietHours | undefined
  onChange(hours: QuietHours | undefined): void
}

/** The hours of each day in which nothing is sent. */
export function QuietHoursField({ of, hours, onChange }: QuietHoursFieldProps) {
  const time = (key: 'from' | 'until', label: string) => (
    <input
      type="time"
      required
      className={controls['input']}
      aria-label={`${of}: ${label}`}
      value={hours?.[key] ?? ''}
      onChange={({ target }) => hours && onChange({ ...hours, [key]: target.value })}
    />
  )
  return (
    <div className={style['stacked']}>
      <label className={style['line']}>
        <input
          type="checkbox"
          aria-label={`${of}: quiet hours`}
          checked={hours !== undefined}
          onChange={({ target }) =>
            onChange(target.checked ? { from: '22:00', until: '07:00', time_zone: ownZone() } : undefined)
          }
        />
        Quiet hours: what changes then is sent when they end
      </label>
      {hours && (
        <div className={style['line']}>
          {time('from', 'from')}
          until
          {time('until', 'until')}
          <ZoneInput
            label={`${of}: time zone of the quiet hours`}
            value={hours.time_zone}
            onChange={(zone) => onChange({ ...hours, time_zone: zone })}
          />
        </div>
      )}
    </div>
  )
}
