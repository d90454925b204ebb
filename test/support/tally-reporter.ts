import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Closes the run's output with one plain line, `N passed, N failed` (and `, N skipped`), which is what CI reads. Where
 * several runs make up one count, each adds a line of the three numbers to the file that `TIDEMARK_TEST_TALLY` names
 * instead, and `.ci/run` says their sum.
 */
export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      // A file that does not load has no tests, and has failed all the same.
      count.failed += module.errors().length
    }
    const failed = count.failed + count.pending + errors.length
    const file = process.env['TIDEMARK_TEST_TALLY']
    if (file !== undefined) return appendFileSync(file, `${count.passed} ${failed} ${count.skipped}\n`)
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    process.stdout.write(`\n${count.passed} passed, ${failed} failed${skipped}\n`)
  }
}
