import { type ReactNode, useId } from 'react'
import style from './toggle.module.css'

interface ToggleProps {
  readonly word: string
  readonly isOn: boolean
  readonly refused: string | null
  readonly children: ReactNode
  onToggle(): void
}

/** A setting that is on or off. One that cannot be changed is reached by the keyboard, and says why. */
export function Toggle({ word, isOn, refused, children, onToggle }: ToggleProps) {
  const id = useId()
  return (
    <div className={style['toggle']}>
      <button
        type="button"
        role="switch"
        aria-checked={isOn}
        aria-disabled={refused !== null}
        aria-describedby={id}
        aria-label={word}
        title={refused ?? undefined}
        className={style['switch']}
        onClick={() => refused === null && onToggle()}
      />
      <span>
        <b>{word}</b>
        <small id={id}>{children}</small>
      </span>
    </div>
  )
}
