import { useSyncExternalStore } from 'react'
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

const listeners = new Set<() => void>()
let chosen = stored()

/** Shows a theme from now on, and keeps it. */
export function chooseTheme(theme: Theme): void {
  chosen = theme
  applyTheme(theme)
  keep(NAME, theme)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the theme that is shown. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, () => chosen)
