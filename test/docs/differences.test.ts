import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { WEBHOOK_OWN_HEADERS } from '../../schema/monitor/request-headers.ts'
import { sourceFiles } from '../../tools/check/source-file.ts'
import { TABLES } from './reference-pages.ts'

const ROOT = new URL('../../', import.meta.url)

describe('docs/reference/differences.md', () => {
  const tables = TABLES.filter(({ page }) => page === 'differences.md')
  const rows = tables.flatMap((table) => table.rows)

  test('has a test in each row of each table', () => {
    expect(tables.map(({ head }) => head.at(-1))).toEqual(['Test', 'Test', 'Test'])
    expect(rows.length).toBeGreaterThan(25)
    for (const row of rows) {
      expect(row).toHaveLength(4)
      expect(row.filter((cell) => cell === '')).toEqual([])
    }
  })

  test.each(rows.map((row) => [row[0] ?? '', row.at(-1) ?? ''] as const))(
    'names a test that exists: %s',
    (_, named) => {
      const { file = '', title = '' } =
        /^`+(?<file>[^`]+)`+: (?<mark>`+) ?(?<title>.+?) ?\k<mark>$/.exec(named)?.groups ?? {}
      const path = new URL(file, ROOT)
      expect({ named, exists: file.startsWith('test/') && existsSync(path) }).toEqual({ named, exists: true })
      expect(titlesOf(readFileSync(path, 'utf8'))).toContain(title)
    },
  )

  test('lists the names of the contract that a webhook has', () => {
    const names = tables.at(-1)?.rows.map(([name = '']) => name.replaceAll('`', '').split(':')[0]?.toLowerCase())
    const fixed = WEBHOOK_OWN_HEADERS.filter((name) => name !== 'content-type')
    expect(names).toEqual(expect.arrayContaining(['svc_', ...fixed]))
  })
})

describe('the names in docs/reference/differences.md that do not say the product', async () => {
  const page = readFileSync(new URL('docs/reference/differences.md', ROOT), 'utf8')
  const [, section = ''] = page.split('## Names that do not say the product')
  // What people meet: the code without what tests, builds and measures it.
  const code = (await sourceFiles(ROOT.pathname)).filter(
    ({ path }) => path.endsWith('.ts') && !/^(?:test|tools|bench|examples|pulumi)\//.test(path),
  )
  const NAMES = /\bService-[A-Z][a-z]+|\bService\/[\d.]+|\bsvc_|(?<=['`])System(?=['`])/g
  const namesIn = (text: string) => Array.from(text.matchAll(NAMES), ([name]) => name)

  test('are those of the code', () => {
    const used = new Set(code.flatMap(({ text }) => namesIn(text)))
    expect([...used].toSorted()).toEqual([...new Set(namesIn(section))].toSorted())
    expect(used.size).toBeGreaterThan(4)
  })
})

/** Returns the titles of the tests of a file: the first text after `test(`, or after the cases of `test.each`. */
function titlesOf(source: string): readonly string[] {
  const found = source.matchAll(/(?:\btest\(|\)\()\s*(['"`])((?:\\.|(?!\1).)+)\1/gs)
  return [...found].map(([, , title = '']) => title.replaceAll(/\\(.)/g, '$1'))
}
