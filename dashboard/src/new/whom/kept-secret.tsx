import { type InputHTMLAttributes, useEffect, useRef, useState } from 'react'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'
import own from './whom.module.css'

interface KeptSecretProps extends Pick<InputHTMLAttributes<HTMLInputElement>, 'inputMode' | 'maxLength'> {
  readonly label: string
  /** What is shown instead of an earlier value. Null: it is not a secret. */
  readonly kept: string | null
  readonly value: string
  readonly placeholder?: string | undefined
  /** It can be left out. */
  readonly isOptional?: boolean
  /** Names what is wrong to a screen reader. */
  readonly fault?: object
  onChange(value: string): void
}

/** A secret that is typed. One that was saved or picked is not shown again: it is kept, or another one is typed. */
export function KeptSecret({
  label,
  kept,
  value,
  placeholder,
  isOptional = false,
  fault,
  onChange,
  ...input
}: KeptSecretProps) {
  const [isKept, setKept] = useState(kept !== null && value !== '')
  // Null: it is not typed anew, so its value is shown.
  const [typed, setTyped] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const isAsked = typed === ''
  useEffect(() => {
    if (isAsked) field.current?.focus()
  }, [isAsked])
  if (isKept && value !== '')
    return (
      <span className={`${style['line']} ${style['wide']}`}>
        <code className={own['kept']}>{kept}</code>
        <button
          type="button"
          className={controls['quiet']}
          aria-label={`Change ${label}`}
          onClick={() => {
            setKept(false)
            setTyped('')
          }}
        >
          Change
        </button>
        {isOptional && (
          <button
            type="button"
            className={controls['quiet']}
            aria-label={`Remove ${label}`}
            onClick={() => {
              setKept(false)
              onChange('')
            }}
          >
            Remove
          </button>
        )}
      </span>
    )
  return (
    <input
      className={`${controls['input']} ${style['wide']}`}
      aria-label={label}
      autoComplete="off"
      spellCheck={false}
      ref={field}
      placeholder={placeholder}
      value={typed ?? value}
      onChange={({ target }) => {
        setTyped(null)
        onChange(target.value)
      }}
      // Nothing was typed: the old one stays. Where the window loses the focus, the field keeps its own.
      onBlur={() => {
        if (!isAsked || document.activeElement === field.current) return
        setTyped(null)
        setKept(true)
      }}
      {...input}
      {...fault}
    />
  )
}
