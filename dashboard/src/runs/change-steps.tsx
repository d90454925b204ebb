import { type RefObject, useRef, useState } from 'react'
import { useCommands } from '../parts/commands.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'

/** Buttons and keys to the next and the previous change on the screen, which gets the focus. */
export function ChangeSteps({ root }: { readonly root: RefObject<HTMLElement | null> }) {
  const last = useRef(-1)
  const [said, say] = useState('')
  function step(by: 1 | -1) {
    const all = [...(root.current?.querySelectorAll<HTMLElement>('[data-change]') ?? [])]
    if (all.length === 0) return say('Nothing differs here.')
    const focused = all.findIndex((each) => each.contains(document.activeElement))
    const from = focused < 0 ? last.current : focused
    last.current = Math.min(all.length - 1, Math.max(0, from + by))
    const next = all[last.current]
    next?.focus({ preventScroll: true })
    next?.scrollIntoView({ block: 'center' })
    say(`Change ${last.current + 1} of ${all.length}`)
  }
  useShortcut('run', 'n', () => step(1))
  useShortcut('run', 'p', () => step(-1))
  useCommands([
    { id: 'next', title: 'Next change of this run', refused: null, act: () => step(1) },
    { id: 'previous', title: 'Previous change of this run', refused: null, act: () => step(-1) },
  ])
  return (
    <>
      <span role="status" className={tones['soft']}>
        {said}
      </span>
      <button type="button" className={controls['button']} onClick={() => step(-1)} aria-keyshortcuts="p">
        Previous <kbd aria-hidden="true">p</kbd>
      </button>
      <button type="button" className={controls['button']} onClick={() => step(1)} aria-keyshortcuts="n">
        Next <kbd aria-hidden="true">n</kbd>
      </button>
    </>
  )
}
