import { useEffect } from 'react'

/** The title of the tab: the screen, and how many changes the person has not seen. */
const title = { screen: '', unseen: 0 }

function show(): void {
  const count = title.unseen > 99 ? '99+' : title.unseen
  if (title.screen !== '') document.title = `${title.unseen > 0 ? `(${count}) ` : ''}${title.screen} – Tidemark`
}

/** Names the screen in the title of the tab, which its history and a screen reader say. */
export function useTitle(screen: string): void {
  useEffect(() => {
    title.screen = screen
    show()
  }, [screen])
}

/** Says in the title of the tab how many changes the person has not seen. */
export function useTitleBadge(unseen: number): void {
  useEffect(() => {
    title.unseen = unseen
    show()
  }, [unseen])
}
