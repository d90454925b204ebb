import { useId } from 'react'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'

/** Returns the time zone of this browser. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

interface ZoneInputProps {
  readonly label: string
  readonly value: string
  onChange(zone: string): void
}

/** The IANA name of a time zone. */
export function ZoneInput({ label, value, onChange }: ZoneInputProps) {
  const id = useId()
  return (
    <>
      <input
        className={`${controls['input']} ${style['wide']}`}
        aria-label={label}
        list={id}
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        placeholder="Europe/Berlin"
        value={value}
        onChange={({ target }) => onChange(target.value.trim())}
      />
      <datalist id={id}>
        {ZONES.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </datalist>
    </>
  )
}
