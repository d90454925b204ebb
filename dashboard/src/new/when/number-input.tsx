import { useState } from 'react'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'

interface NumberInputProps {
  readonly label: string
  readonly value: number
  onChange(value: number): void
}

/** A number that is typed. While it is none yet, as `-` or `1.`, the last one stays. */
export function NumberInput({ label, value, onChange }: NumberInputProps) {
  const [typed, setTyped] = useState(String(value))
  const [seen, setSeen] = useState(value)
  // It was changed elsewhere.
  if (value !== seen) {
    setSeen(value)
    if (Number(typed) !== value) setTyped(String(value))
  }
  return (
    <input
      className={`${controls['input']} ${style['number']}`}
      aria-label={label}
      inputMode="decimal"
      autoComplete="off"
      maxLength={20}
      value={typed}
      aria-invalid={typed.trim() === '' || !Number.isFinite(Number(typed)) || undefined}
      onChange={({ target }) => {
        setTyped(target.value)
        const number = Number(target.value)
        if (target.value.trim() !== '' && Number.isFinite(number)) onChange(number)
      }}
      onBlur={() => setTyped(String(value))}
    />
  )
}
