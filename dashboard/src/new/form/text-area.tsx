import { type ReactNode, useId, useState } from 'react'
import form from '../new.module.css'

interface TextAreaProps<Value> {
  readonly label: string
  readonly value: Value
  readonly rows: number
  readonly placeholder?: string
  /** What is below it. */
  readonly children?: ReactNode
  textOf(value: Value): string
  /** Returns the value of a text; undefined: it is none yet. */
  valueOf(text: string): Value | undefined
  onChange(value: Value): void
}

/** A value that is typed as text. While the text is none, the last value stays, and the field says so. */
export function TextArea<Value>(props: TextAreaProps<Value>) {
  const { label, value, rows, placeholder, children, textOf, valueOf, onChange } = props
  const id = useId()
  const now = textOf(value)
  const [typed, setTyped] = useState(now)
  const [seen, setSeen] = useState(now)
  const isValid = valueOf(typed) !== undefined
  // It was changed elsewhere.
  if (now !== seen) {
    setSeen(now)
    const mine = valueOf(typed)
    if (mine === undefined || textOf(mine) !== now) setTyped(now)
  }
  return (
    <label className={form['stacked']}>
      <span className={form['label']}>{label}</span>
      <textarea
        className={form['area']}
        rows={rows}
        spellCheck={false}
        autoComplete="off"
        placeholder={placeholder}
        value={typed}
        {...(!isValid && { 'aria-invalid': true, 'aria-describedby': id })}
        onChange={({ target }) => {
          setTyped(target.value)
          const next = valueOf(target.value)
          if (next !== undefined) onChange(next)
        }}
      />
      {!isValid && (
        <span id={id} role="alert" className={form['fault']}>
          It cannot be read yet. What it was before is kept.
        </span>
      )}
      {children}
    </label>
  )
}
