import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { leftAt } from '../parts/left-at.ts'

const isShown = (element: Element): boolean => element.getClientRects().length > 0

/** Returns the link that a person left this entry of the history by, or the heading of the screen. */
function targetIn(main: HTMLElement): HTMLElement | null {
  const { link } = leftAt()
  const links = link === null ? [] : [...main.querySelectorAll<HTMLElement>('a[href]')]
  const left = links.find((one) => one.getAttribute('href') === link && isShown(one))
  return left ?? [...main.querySelectorAll<HTMLElement>('h1')].find(isShown) ?? null
}

/**
 * Puts the focus on what a person came from when they go back, and else on the heading of each new screen. A screen is
 * read in steps, so each step looks for it again, until the person presses a key or a button.
 */
export function useScreenFocus(main: RefObject<HTMLElement | null>): void {
  const [path] = useLocation()
  const last = useRef(path)
  useEffect(() => {
    const box = main.current
    if (last.current === path || box === null) return undefined
    last.current = path
    let given: Element | null = null
    const give = () => {
      const { activeElement: now } = document
      // A list puts the focus on its own row.
      if (now !== given && box.contains(now) && now !== null && isShown(now)) return
      const target = targetIn(box)
      if (target === null || target === now) return
      if (target.tagName === 'H1') target.tabIndex = -1
      target.focus({ preventScroll: target.tagName === 'H1' })
      given = target
    }
    const looking = new MutationObserver(give)
    const stop = () => {
      looking.disconnect()
      for (const type of INPUTS) removeEventListener(type, stop, true)
    }
    for (const type of INPUTS) addEventListener(type, stop, true)
    looking.observe(box, { childList: true, subtree: true })
    give()
    return stop
  }, [path, main])
}

const INPUTS = ['keydown', 'pointerdown'] as const
