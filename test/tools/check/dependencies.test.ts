import { expect, test } from 'vitest'
import { dependencyFaults } from '../../../tools/check/dependencies.ts'

const faults = (needed: readonly string[], explained: readonly string[]): string[] =>
  dependencyFaults(
    {
      path: 'package.json',
      text: JSON.stringify({ dependencies: Object.fromEntries(needed.map((name) => [name, '1.0.0'])) }),
    },
    {
      path: 'record.md',
      text: ['## Pages', ...explained.map((name) => `- \`${name}\` (Ada, 1 MB): it is good.`)].join('\n'),
    },
  )

test('a dependency without an entry of the list is a fault', () => {
  expect(faults(['pg', '@a/b'], ['pg', '@a/b'])).toEqual([])
  expect(faults(['pg', '@a/b'], ['pg'])).toEqual([expect.stringContaining('@a/b has no entry')])
})

test('an entry of a package that we do not depend on is a fault', () => {
  expect(faults(['pg'], ['pg', 'cheerio'])).toEqual(['record.md: cheerio is not a dependency'])
})
