import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'

/** Returns whether a program is on the PATH. */
export const hasProgram = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, name)))

interface Missing {
  /** No machine of CI can be made to have it: it is skipped there too. */
  readonly isBeyondCi?: boolean
}

/**
 * `describe` where `condition` holds. Where it does not, the suite is skipped with one line that says what to do about
 * it – or fails, in CI, which has to have everything that can be installed.
 *
 * @param advice completes the line, as in `install postgresql-15` or `set TIDEMARK_SHARED`
 */
export function describeIf(
  condition: boolean,
  advice: string,
  { isBeyondCi = false }: Missing = {},
): (title: string, suite: () => void) => void {
  return (title, suite) => {
    if (condition) {
      describe(title, suite)
      return
    }
    const line = `skipped: ${title}: ${advice}`
    if (process.env['CI'] === 'true' && !isBeyondCi) throw new Error(`${line} (CI must not skip)`)
    process.stdout.write(`${line}\n`)
    describe.skip(title, suite)
  }
}
