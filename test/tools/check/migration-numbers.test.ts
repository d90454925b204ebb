import { expect, test } from 'vitest'
import { migrationNumberFaults } from '../../../tools/check/migration-numbers.ts'

const migrations = (...names: readonly string[]) =>
  names.map((name) => ({ path: `store/migrations/${name}`, text: '' }))

test('two migrations of one number are reported with both names', () => {
  const files = migrations('000001-a.sql', '000002-b.sql', '000002-c.sql')
  expect(migrationNumberFaults(files)).toEqual([
    expect.stringContaining('store/migrations/000002-b.sql, store/migrations/000002-c.sql: one number'),
  ])
})

test('migrations with a number each pass', () => {
  expect(migrationNumberFaults(migrations('000001-a.sql', '000002-b.sql'))).toEqual([])
})
