import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { LIMITS } from '../api/types.ts'
import { Icon } from '../parts/icon.tsx'
import { OVER_THE_SCREEN } from '../parts/single-keys.ts'
import controls from '../style/controls.module.css'
import style from './palette-button.module.css'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

const KEYS = navigator.userAgent.includes('Mac') ? '⌘ K' : 'Ctrl K'

/** Opens the palette, as Ctrl or ⌘ with K does. It is loaded when it is opened first. */
export function PaletteButton() {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const from = useRef<Element | null>(null)
  const open = () => {
    from.current = document.activeElement
    setOpen(true)
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.ctrlKey === event.metaKey || event.altKey || event.shiftKey) return
      event.preventDefault()
      // A dialog asks something first, and the palette may be open already.
      if (document.querySelector(OVER_THE_SCREEN) === null) open()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  const close = () => {
    setOpen(false)
    setText('')
    // What had the focus gets it back: the field that waited for the palette is gone by then.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body && from.current instanceof HTMLElement) from.current.focus()
    })
  }
  return (
    <>
      <button type="button" className={style['button']} onClick={open} aria-label={`Find and do: ${KEYS}`}>
        <Icon name="search" />
        <kbd aria-hidden="true">{KEYS}</kbd>
      </button>
      {isOpen && (
        <Suspense fallback={<Waiting onText={setText} />}>
          <Palette begun={text} onClose={close} />
        </Suspense>
      )}
    </>
  )
}

/** Takes what is typed until the palette is loaded: letters would be shortcuts of the screen. */
const Waiting = ({ onText }: { onText(text: string): void }) => (
  <input
    ref={(field) => field?.focus()}
    className={controls['unseen-by-eye']}
    aria-label="Monitors, screens and actions"
    maxLength={LIMITS.search}
    onChange={({ target }) => onText(target.value)}
  />
)
