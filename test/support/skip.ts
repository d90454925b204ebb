import { describe } from 'vitest'

/**
 * `describe` where `condition` holds. Where it does not, the suite is skipped with one line that says what to do about
 * it – or fails, in CI, which has to have everything.
 *
 * @param advice completes the line, as in `install postgresql-15` or `set TIDEMARK_SHARED`
 */
export function describeIf(condition: boolean, advice: string): (title: string, suite: () => void) => void {
  return (title, suite) => {
    if (condition) {
      describe(title, suite)
      return
    }
    const line = `skipped: ${title}: ${advice}`
    if (process.env['CI'] === 'true') throw new Error(`${line} (CI must not skip)`)
    process.stdout.write(`${line}\n`)
    describe.skip(title, suite)
  }
}
