import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'

/** Returns whether a program is on the PATH. */
export const hasProgram = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, name)))

const PART = process.env['TIDEMARK_TEST_PART'] || 'all'

/** What `describeIf` says of tests that need Kubernetes: how to get it, or that another part of `.ci/run` runs them. */
export const forKubernetes = (advice: string): [string, Missing] =>
  ['all', 'kubernetes'].includes(PART) ? [advice, {}] : ['the part kubernetes of .ci/run runs it', { isBeyondCi: true }]

interface Missing {
  /** CI skips it too: no machine can be made to have it, or another part of `.ci/run` has it. */
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
