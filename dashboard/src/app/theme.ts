import { useState } from 'react'
import { keep, kept } from '../parts/kept.ts'

const NAME = 'tidemark.theme'
export const THEMES = { system: 'As the system', light: 'Light', dark: 'Dark' } as const
export type Theme = keyof typeof THEMES

const isTheme = (text: string | null): text is Theme => text !== null && Object.hasOwn(THEMES, text)

function stored(): Theme {
  const text = kept(NAME)
  return isTheme(text) ? text : 'system'
}

/** Shows the theme that was chosen last. */
export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

/** Shows a theme from now on, and keeps it. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme)
  keep(NAME, theme)
}

/** Returns the theme, and how to choose another. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(stored)
  return [
    theme,
    (next) => {
      setTheme(next)
      chooseTheme(next)
    },
  ]
}
