/**
 * What the dashboard keeps in the browser: choices of how it looks and is used, and nothing of a team. A browser may
 * refuse to keep anything. Then a choice holds until the page is closed.
 */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps a choice. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // It holds until the page is closed.
  }
}
