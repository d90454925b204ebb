import { useState } from 'react'

const NAME = 'tidemark.theme'
export const THEMES = { system: 'As the system', light: 'Light', dark: 'Dark' } as const
type Theme = keyof typeof THEMES

const isTheme = (text: string | null): text is Theme => text !== null && Object.hasOwn(THEMES, text)

/** A browser may refuse to keep anything. Then the theme holds until the page is closed. */
function stored(): Theme {
  try {
    const text = localStorage.getItem(NAME)
    return isTheme(text) ? text : 'system'
  } catch {
    return 'system'
  }
}

/** Shows the theme that was chosen last. It is the only thing that the dashboard keeps in the browser. */
export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

/** Returns the theme, and how to choose another. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(stored)
  return [
    theme,
    (next) => {
      setTheme(next)
      applyTheme(next)
      try {
        localStorage.setItem(NAME, next)
      } catch {
        // It holds until the page is closed.
      }
    },
  ]
}
