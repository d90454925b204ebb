import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { schemaOf } from './named-schemas.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

describe('docs/states.md', () => {
  const tables = [...read('docs/states.md').matchAll(/<!-- states: (\w+)\.(\w+) -->\n\n((?:\|.*\|\n)+)/g)]

  test.each(tables.map(([, name = '', key = '', table = '']) => [`${name}.${key}`, name, key, table] as const))(
    'has every state of %s and no other',
    (_, name, key, table) => {
      const { properties } = schemaOf(name) as unknown as { properties: Readonly<Record<string, TSchema>> }
      const states = (properties[key] as unknown as { enum: readonly string[] }).enum
      const rows = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, state]) => state)
      expect(new Set(rows)).toEqual(new Set(states))
    },
  )

  test('has the states of five resources', () => expect(tables).toHaveLength(5))
})

describe('docs/compared.md', () => {
  test('has the figures of the bench', () => {
    const [, measured = ''] = read('docs/compared.md').split('## Measured')
    const figures = [...measured.matchAll(/\| (\d[\d,]*) /g)].map(([, figure = '']) => figure)
    expect(figures).toHaveLength(8)
    const [, peers = ''] = read('bench/README.md').split('ours over theirs')
    for (const figure of figures) expect(peers).toContain(`| ${figure} `)
  })

  test('says when it was read', () => expect(read('docs/compared.md')).toMatch(/Read on \d+ \w+ 20\d\d\./))
})
