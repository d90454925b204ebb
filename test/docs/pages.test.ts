import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { BORDERS } from '../../tools/check/border-table.ts'
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

describe('docs/architecture.md', () => {
  test('has a row for every folder of the border table', () => {
    const folders =
      read('docs/architecture.md')
        .split(/^## /m)
        .find((part) => part.startsWith('Folders')) ?? ''
    const rows = [...folders.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
    expect(new Set(rows)).toEqual(new Set(Object.keys(BORDERS)))
  })

  test('names files and folders that are there', () => {
    const paths = [...read('docs/architecture.md').matchAll(/`((?:[a-z-]+\/)+(?:[\w.-]+\.ts)?)`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).toBeGreaterThan(40)
    expect(paths.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([])
  })
})

describe('docs/quickstart.md', () => {
  test('waits for the first run of a monitor before it changes the page', () => {
    const [, page = ''] = read('docs/quickstart.md').split('## One machine\n')
    const steps = ['"name": "Kettle"', 'until curl', '/change', '/run -H'].map((text) => page.indexOf(text))
    expect(steps).toEqual(steps.toSorted((one, other) => one - other))
    expect(steps).not.toContain(-1)
  })
})

describe('A page that names a switch of the chart', () => {
  interface Values {
    readonly properties?: Readonly<Record<string, Values>>
  }
  const values = JSON.parse(read('charts/tidemark/values.schema.json')) as Values
  const isValue = (path: string) =>
    path.split('.').reduce<Values | undefined>((inner, key) => inner?.properties?.[key], values) !== undefined
  const named = readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => [...read(`docs/${name}`).matchAll(/`([a-zA-Z.]+\.enabled)\b/g)].map(([, path = '']) => path))

  test('names one that there is', () => {
    expect(named.length).toBeGreaterThan(5)
    // A chart around this one may have a switch for it.
    expect(named.filter((path) => !isValue(path) && path !== 'tidemark.enabled')).toEqual([])
  })
})

describe('docs/compared.md', () => {
  /** Returns the checks a second of each tool, by the name of the row. */
  function rates(text: string, rows: readonly string[]) {
    const table = text.split('\n').filter((line) => line.startsWith('|'))
    const cells = table.map((line) => line.split('|').map((cell) => cell.trim().replace(/ \(.*\)$/, '')))
    const [tools = []] = cells.filter(([, , tool]) => tool === 'Tidemark')
    return rows.map((row) => {
      const [, , ...found] = cells.find(([, name]) => name === row) ?? []
      return found.map((rate, index) => [tools[index + 2], rate])
    })
  }

  test('has the figures of the bench, each of the tool that it was measured with', () => {
    const [, measured = ''] = read('docs/compared.md').split('## Measured')
    const [, peers = ''] = read('bench/README.md').split(/^\| images/m)
    const stated = rates(measured, ['pages that did not change', 'pages that change each time'])
    expect(stated).toEqual(rates(peers, ['unchanged pages', 'pages that change each time']))
    expect(stated.flat().filter(([tool, rate]) => tool && /^\d/.test(rate ?? ''))).toHaveLength(8)
  })

  test('says when it was read, and has every source that it refers to', () => {
    const page = read('docs/compared.md')
    expect(page).toMatch(/Read on \d+ \w+ 20\d\d\b/)
    const used = [...page.matchAll(/\]\[(\w+)\]/g)].map(([, name = '']) => name)
    const defined = [...page.matchAll(/^\[(\w+)\]: https:/gm)].map(([, name = '']) => name)
    expect(new Set(used)).toEqual(new Set(defined))
  })
})

describe('docs/decisions', () => {
  const files = readdirSync(new URL('docs/decisions/', ROOT)).filter((name) => /^\d/.test(name))

  test('have a number each, which their heading repeats', () => {
    const numbers = files.map((name) => name.slice(0, 4))
    expect(numbers).toEqual([...new Set(numbers)])
    for (const name of files) expect(read(`docs/decisions/${name}`)).toMatch(new RegExp(`^# ${name.slice(0, 4)}: `))
  })
})

describe('docs/concepts.md', () => {
  const rows = [...read('docs/concepts.md').matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) +\| (.+?) +\|$/gm)]

  test('has a page of its own for each concept', () => {
    const pages = rows.map(([, , page = '']) => page)
    expect(pages.length).toBeGreaterThanOrEqual(15)
    expect(new Set(pages).size).toBe(pages.length)
    const own = readdirSync(new URL('docs/concepts/', ROOT)).map((name) => `concepts/${name}`)
    expect(pages.filter((page) => page.startsWith('concepts/')).toSorted()).toEqual(own.toSorted())
  })

  test.each(
    rows.filter(([, , page = '']) => page.startsWith('concepts/')).map(([, name = '', page = '']) => [name, page]),
  )('has of %s a page that says what it is, and where to read on', (name, page) => {
    const text = read(`docs/${page}`)
    expect(text).toMatch(new RegExp(`^# ${name}\\n\\n\\w`))
    expect(text).toMatch(/^Next: .*\]\(/m)
  })
})

describe('The Markdown of the repository', () => {
  const FOLDERS = ['', 'bench/', 'charts/tidemark/', 'docs/', 'examples/', 'images/', 'pulumi/', 'test/']
  const pages = FOLDERS.flatMap((folder) =>
    readdirSync(new URL(`./${folder}`, ROOT), { recursive: folder === 'docs/' })
      .map((name) => `${folder}${String(name)}`)
      .filter((name) => name.endsWith('.md')),
  )
  const anchors = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
        .replaceAll(' ', '-'),
    )

  test('links to files and headings that are there', () => {
    const broken: string[] = []
    for (const page of pages)
      for (const [, link = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^(?:https?|mailto):/.test(link)) continue
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? page : posix.join(posix.dirname(page), file)
        const isThere =
          existsSync(new URL(target, ROOT)) && (anchor === undefined || anchors(read(target)).includes(anchor))
        if (!isThere) broken.push(`${page} → ${link}`)
      }
    expect(pages.length).toBeGreaterThan(60)
    expect(broken).toEqual([])
  })

  test('says of nothing that is there that it is not there yet', () => {
    expect(pages.filter((page) => /^#+ Not there yet$/m.test(read(page)))).toEqual([])
  })
})
