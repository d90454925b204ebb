import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

/** Lower it with each statement that goes, and never raise it. Half of them look for what a fault left in the store. */
const MAX_STATEMENTS = 84

export const testStatements: Check = {
  name: 'statements',
  faults: ({ files }) => testStatementFaults(files, MAX_STATEMENTS),
}

const TEXT = /\/\/.*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`/g
const TABLE =
  /\b(?:update|from|into|join|(?<!drop )table|only|using)\s+(?:only\s+)?(?:checks|runs|monitors|deliveries)\b/i
const TITLE = /\b(?:describe|test|it)(?:\.\w+)?\($/

/**
 * Counts the statements of tests on the four tables of which most columns change, and reports those of the contract's
 * tests, and more than `most` in all. Helpers of `test/support/database` say what such a statement does; the tests of
 * the store have what the store's statements need.
 */
export function testStatementFaults(files: readonly SourceFile[], most: number): string[] {
  const counted = files.filter(
    ({ path }) => /^test\/.*\.ts$/.test(path) && !/^test\/(?:store|support|tools)\//.test(path),
  )
  const found = counted.flatMap(({ path, text }) =>
    [...text.matchAll(TEXT)]
      .filter(([part]) => !part.startsWith('/') && TABLE.test(part))
      .filter(({ index }) => !TITLE.test(text.slice(0, index)))
      .map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
  )
  const ofContract = found
    .filter((at) => at.startsWith('test/spec/'))
    .map((at) => `${at}: a statement on a table: use the API, or a helper of test/support/database`)
  return found.length > most
    ? [...ofContract, `${found.length} statements of tests on checks, runs, monitors and deliveries, more than ${most}`]
    : ofContract
}
