import { describe, expect, test } from 'vitest'
import { unusedExportFaults } from '../../../tools/check/unused-exports.ts'

const faults = (files: Readonly<Record<string, string>>, exceptions: Readonly<Record<string, string>> = {}): string[] =>
  unusedExportFaults(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    exceptions,
  )

describe('an export', () => {
  test.each([
    'export const a = 1',
    'export async function a() {}',
    'export interface a {}',
    'export type a = 1',
    'export class a {}',
    'const b = 1\nexport { b as a }',
  ])('that nobody imports is a fault: %s', (text) => {
    expect(faults({ 'x/one.ts': text })).toEqual([expect.stringContaining('a is exported')])
    expect(faults({ 'x/one.ts': text, 'y/two.ts': "import { a } from '../x/one.ts'" })).toEqual([])
  })

  test.each([
    "import type { a } from './one.ts'",
    "import { b, type a } from './one.ts'",
    "import {\n  a as c,\n} from './one.ts'",
    "import * as one from './one.ts'",
    "export { a } from './one.ts'",
    "const one = await import('./one.ts')",
    "export * from './one'",
  ])('is used by %j', (text) => {
    expect(faults({ 'x/one.ts': 'export const a = 1', 'x/two.ts': text })).toEqual([])
  })

  test('of another file is not used by an import of the same name, nor by a comment', () => {
    const one = 'export const a = 1'
    expect(faults({ 'x/one.ts': one, 'x/two.ts': "import { a } from './three.ts'" })).toHaveLength(1)
    expect(faults({ 'x/one.ts': one, 'x/two.ts': "// import { a } from './one.ts'" })).toHaveLength(1)
  })

  test('may be listed as an exception', () => {
    expect(faults({ 'x/one.ts': 'export const a = 1' }, { 'x/one.ts#a': 'called by name' })).toEqual([])
  })
})
