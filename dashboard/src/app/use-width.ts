import { useSyncExternalStore } from 'react'

const onResize = (render: () => void) => {
  addEventListener('resize', render)
  return () => removeEventListener('resize', render)
}

/** Returns the width of the window, in pixels of CSS. */
export const useWidth = (): number => useSyncExternalStore(onResize, () => innerWidth)
