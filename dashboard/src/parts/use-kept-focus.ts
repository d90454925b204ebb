import { type RefObject, useEffect, useRef } from 'react'

/**
 * Gives the focus to the list when the row that had it is gone, as after its removal. Without it, a person at the
 * keyboard would begin again at the top of the page.
 */
export function useKeptFocus(list: RefObject<HTMLElement | null>): void {
  const last = useRef<Element | null>(null)
  useEffect(() => {
    const box = list.current
    if (box === null) return undefined
    const note = ({ target }: FocusEvent) => {
      last.current = target instanceof Element ? target : null
    }
    box.addEventListener('focusin', note)
    const looking = new MutationObserver(() => {
      if (last.current === null || last.current.isConnected || document.activeElement !== document.body) return
      last.current = null
      box.focus({ preventScroll: true })
    })
    looking.observe(box, { childList: true, subtree: true })
    return () => {
      box.removeEventListener('focusin', note)
      looking.disconnect()
    }
  }, [list])
}
