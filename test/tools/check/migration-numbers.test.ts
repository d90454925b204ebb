import { expect, test } from 'vitest'
import { migrationNumberFaults } from '../../../tools/check/migration-numbers.ts'

const migrations = (...names: readonly string[]) =>
  names.map((name) => ({ path: `store/migrations/${name}`, text: '' }))

test('two migrations of one number are reported with both names', () => {
  const files = migrations('000001-a.sql', '000002-b.sql', '000002-c.sql')
  expect(migrationNumberFaults(files, new Set())).toEqual([
    expect.stringContaining('store/migrations/000002-b.sql, store/migrations/000002-c.sql: one number'),
  ])
})

test('a third migration of a number that two share by exception is reported', () => {
  const exceptions = new Set(['store/migrations/000009-a.sql', 'store/migrations/000009-b.sql'])
  expect(migrationNumberFaults(migrations('000009-a.sql', '000009-b.sql'), exceptions)).toEqual([])
  expect(migrationNumberFaults(migrations('000009-a.sql', '000009-b.sql', '000009-c.sql'), exceptions)).toHaveLength(1)
})

test('migrations with a number each pass', () => {
  expect(migrationNumberFaults(migrations('000001-a.sql', '000002-b.sql'), new Set())).toEqual([])
})
