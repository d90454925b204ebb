import { useEffect } from 'react'

/** Names the screen in the title of the tab, which its history and a screen reader say. */
export function useTitle(screen: string): void {
  useEffect(() => {
    document.title = `${screen} – Tidemark`
  }, [screen])
}
