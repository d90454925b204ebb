import { expect, test } from 'vitest'
import { testStatementFaults } from '../../../tools/check/test-statements.ts'

const file = (path: string, text: string) => ({ path, text })
const STATEMENT = "await sql('update checks set failures = 4')\n"

test('one statement more than the number is a fault, and as many are none', () => {
  const files = [file('test/api/a.test.ts', STATEMENT), file('test/worker/b.ts', 'await sql(`select from runs`)\n')]
  expect(testStatementFaults(files, 2)).toEqual([])
  expect(testStatementFaults(files, 1)).toEqual([
    '2 statements of tests on checks, runs, monitors and deliveries, more than 1',
  ])
})

test('in the tests of the contract each one is a fault, with its line', () => {
  expect(testStatementFaults([file('test/spec/runs/a.test.ts', `\n${STATEMENT}`)], 9)).toEqual([
    'test/spec/runs/a.test.ts:2: a statement on a table: use the API, or a helper of test/support/database',
  ])
})

test.each(['store/queue/claim.ts', 'test/store/queue/claim.test.ts', 'test/support/database/check-states.ts'])(
  'those of %s are not counted',
  (path) => {
    expect(testStatementFaults([file(path, STATEMENT)], 0)).toEqual([])
  },
)

test('comments, titles and other tables are not counted', () => {
  const text = `
    // What comes from runs.
    /* update checks */
    test('reads from runs', async () => {
      await sql('update team_usage set credits = 3')
      await sql(\`select from runs_by_month\`)
    })`
  expect(testStatementFaults([file('test/api/a.test.ts', text)], 0)).toEqual([])
})

test('a statement of several lines counts once', () => {
  const text = 'await sql(`\n  select from monitors m\n  join checks c using (no)`)\n'
  expect(testStatementFaults([file('test/spec/a.test.ts', text)], 0)).toHaveLength(2)
})
