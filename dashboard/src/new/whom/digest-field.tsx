import { WEEK_DAYS } from '../../api/delivery-choices.ts'
import type { DeliveryConfig } from '../../api/types.ts'
import { every } from '../../parts/time.tsx'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'
import { ownZone, ZoneInput } from './zone-input.tsx'

type Digest = NonNullable<DeliveryConfig['digest']>

const INTERVALS = [900, 3_600, 10_800, 21_600, 43_200, 86_400]
const DAILY = 'daily'

interface DigestFieldProps {
  /** Which destinations it is about, for a screen reader. */
  readonly of: string
  /** What holds without a digest. */
  readonly absent: string
  readonly digest: Digest | undefined
  onChange(digest: Digest | undefined): void
}

/** Whether changes are collected: for some time, or until an hour of some days. */
export function DigestField({ of, absent, digest, onChange }: DigestFieldProps) {
  const seconds = digest?.every_seconds
  const intervals = seconds === undefined || INTERVALS.includes(seconds) ? INTERVALS : [...INTERVALS, seconds]
  const isDaily = digest?.daily_at !== undefined
  return (
    <div className={style['stacked']}>
      <label className={style['line']}>
        <span className={style['label']}>Send</span>
        <select
          className={controls['select']}
          aria-label={`${of}: digest`}
          value={isDaily ? DAILY : (seconds ?? '')}
          onChange={({ target: { value } }) => {
            if (value === DAILY) onChange({ daily_at: '08:00', time_zone: ownZone() })
            else onChange(value === '' ? undefined : { every_seconds: Number(value) })
          }}
        >
          <option value="">{absent}</option>
          {intervals.map((one) => (
            <option key={one} value={one}>
              all changes as one message, {every(one)}
            </option>
          ))}
          <option value={DAILY}>all changes as one message, at an hour of the day</option>
        </select>
      </label>
      {isDaily && (
        <>
          <div className={style['line']}>
            <input
              type="time"
              required
              className={controls['input']}
              aria-label={`${of}: hour of the digest`}
              value={digest.daily_at}
              onChange={({ target }) => onChange({ ...digest, daily_at: target.value })}
            />
            <ZoneInput
              label={`${of}: time zone of the digest`}
              value={digest.time_zone ?? ''}
              onChange={(zone) => onChange({ ...digest, time_zone: zone })}
            />
          </div>
          <Days of={of} digest={digest} onChange={onChange} />
        </>
      )}
    </div>
  )
}

interface DaysProps {
  readonly of: string
  readonly digest: Digest
  onChange(digest: Digest): void
}

/** The days of a digest. All of them are none that are named. */
function Days({ of, digest, onChange }: DaysProps) {
  const { days = WEEK_DAYS, ...rest } = digest
  return (
    <div className={style['line']} role="group" aria-label={`${of}: days of the digest`}>
      {WEEK_DAYS.map((day) => (
        <label key={day} className={style['line']}>
          <input
            type="checkbox"
            checked={days.includes(day)}
            // There is always a day.
            disabled={days.length === 1 && days.includes(day)}
            onChange={({ target }) => {
              const next = WEEK_DAYS.filter((one) => (one === day ? target.checked : days.includes(one)))
              onChange(next.length === WEEK_DAYS.length ? rest : { ...rest, days: next })
            }}
          />
          {day[0]?.toUpperCase() + day.slice(1)}
        </label>
      ))}
    </div>
  )
}
