import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestModule } from 'vitest/node'

/** Before a test that has passed on its second try (`SECOND_TRY`). */
const SECOND = 'PASSED ON THE SECOND TRY'
/** How much of an error's message is repeated. */
const MESSAGE_LINES = 12

/**
 * Closes the run's output with one plain line, `N passed, N failed` (and `, N skipped`), which is what CI reads. A hook
 * that fails counts as one failure, because its tests are only skipped.
 *
 * Where several runs make up one count, each adds a line of the three numbers to the file that `TIDEMARK_TEST_TALLY`
 * names instead, and what failed, or passed on its second try only, to the file beside it that ends in `.failures`.
 * `.ci/run` prints the sum, and before it these once more: a long log is often read from its end.
 */
export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const failures: string[] = []
    const tell = (title: string, found: readonly unknown[] | undefined, as = 'FAIL'): number => {
      for (const error of found ?? []) failures.push(`${as} ${title}\n${messageOf(error)}\n`)
      return found?.length ?? 0
    }
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId)
      for (const test of module.children.allTests()) {
        const { state, errors: found } = test.result()
        count[state] += 1
        tell(`${file} > ${test.fullName}`, found, state === 'passed' ? SECOND : 'FAIL')
      }
      for (const suite of module.children.allSuites())
        count.failed += tell(`${file} > ${suite.fullName}`, suite.errors())
      // A file that does not load has no tests, and has failed all the same.
      count.failed += tell(file, module.errors())
    }
    const failed = count.failed + count.pending + tell('outside the tests', errors)
    const file = process.env['TIDEMARK_TEST_TALLY']
    if (file !== undefined) {
      appendFileSync(`${file}.failures`, failures.join('\n'))
      return appendFileSync(file, `${count.passed} ${failed} ${count.skipped}\n`)
    }
    for (const text of failures) if (text.startsWith(SECOND)) process.stdout.write(`\n${text}`)
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    process.stdout.write(`\n${count.passed} passed, ${failed} failed${skipped}\n`)
  }
}

/** Returns the first lines of an error's message, indented. */
function messageOf(error: unknown): string {
  const { message, stack } = (error ?? {}) as { readonly message?: unknown; readonly stack?: unknown }
  const text = typeof message === 'string' && message !== '' ? message : String(stack ?? error)
  const lines = stripVTControlCharacters(text).split('\n').slice(0, MESSAGE_LINES)
  return lines.map((line) => `  ${line}`).join('\n')
}
