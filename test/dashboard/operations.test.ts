import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import document from '../../api/openapi.json' with { type: 'json' }

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/dashboard.md'), 'utf8')

/** Operations that the table behind a marker names. */
function operationsOf(marker: string): readonly string[] {
  const [, rest = ''] = PAGE.split(`<!-- ${marker} -->`)
  const [table = ''] = rest.trimStart().split('\n\n')
  return Array.from(table.matchAll(/`((?:GET|POST|PATCH|DELETE) [^`]+)`/g), ([, operation = '']) => operation)
}

test('each operation of the API is in the table of the screens, or in that of what is done otherwise', () => {
  const all = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
  const named = [...operationsOf('operations of the screens'), ...operationsOf('operations that no screen has')]
  expect(named.toSorted()).toEqual(all.toSorted())
})
