import { useEffect, useRef, useState } from 'react'
import { LIMITS } from '../api/types.ts'
import controls from '../style/controls.module.css'
import style from './filter-bar.module.css'
import { Icon } from './icon.tsx'
import { useShortcut } from './use-shortcut.ts'

/**
 * How long a person pauses in a word. Rows are shown within 250 ms of a letter, so it is short: what a further letter
 * overtakes is not waited for.
 */
const PAUSE_MS = 100

interface SearchFieldProps {
  /** Whose key `/` leads to it. */
  readonly place: 'list' | 'deliveries' | 'searches'
  /** What is searched. */
  readonly label: string
  readonly text: string
  onChange(text: string): void
}

/** A text that a list is searched for, as it is typed. */
export function SearchField({ place, label, text, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(text)
  const field = useRef<HTMLInputElement>(null)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useShortcut(place, '/', () => field.current?.select())
  // The address changed by other means than this field, such as the way back.
  const [seen, setSeen] = useState(text)
  if (seen !== text) {
    setSeen(text)
    if (typed.trim() !== text) setTyped(text)
  }
  useEffect(() => {
    if (typed.trim() === text) return
    const timer = setTimeout(() => latest.current(typed.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, text])
  return (
    <label className={style['search']}>
      <Icon name="search" />
      <span className={controls['unseen-by-eye']}>{label}</span>
      <input
        ref={field}
        type="search"
        className={controls['input']}
        placeholder="Search"
        value={typed}
        maxLength={LIMITS.search}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          // A browser would empty the field, and with it the search that was made.
          event.preventDefault()
          event.currentTarget.blur()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  )
}
