import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { extract } from '../../../../../runners/extract/extract.ts'
import { loadStructuredData } from '../../../../../runners/extract/structured-data/load.ts'
import { decode } from '../../../../../runners/extract/text/charset.ts'
import { CorpusFolder } from '../../../../../tools/corpus/folder.ts'
import { JUDGES_ADVICE, JUDGES_PYTHON } from '../../../../support/judges/python.ts'
import { describeIf } from '../../../../support/run/skip.ts'
import { values } from '../../pages.ts'

const shared = process.env['TIDEMARK_SHARED']
const PARTS = ['json_ld', 'microdata', 'open_graph'] as const
type Part = (typeof PARTS)[number]

/** What differs on recorded pages, and why ours is right. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'breitbart.html open_graph': 'its parser ends the head before the elements',
  'citylab-1.html microdata': 'an empty src has no address; it gives that of the page',
  'cnet-svg-classes.html microdata': 'a <time> without datetime has its text; it gives none',
  'cnet.html microdata': 'a <time> without datetime has its text; it gives none',
  'legacy--nmb-media.de.ebay.html microdata': 'addresses are relative to <base>; it ignores it',
}

/** Namespaces that it knows without a declaration. */
const NAMESPACES = ['og', 'music', 'video', 'article', 'book', 'profile', 'product']

interface OpenGraph {
  readonly namespace: Readonly<Record<string, string>>
  readonly properties: readonly (readonly [string, string])[]
}
type Theirs = Readonly<Record<Part, readonly unknown[]>>

/** Returns values without what the two write differently on purpose: white space, addresses, items without values. */
function alike(value: unknown): unknown {
  if (typeof value === 'string')
    return /^https?:/.test(value) ? (URL.parse(value)?.href ?? value) : value.replaceAll(/\s+/g, '')
  if (Array.isArray(value)) return value.map(alike)
  if (typeof value !== 'object' || value === null) return value
  const { value: text, ...rest } = value as Readonly<Record<string, unknown>>
  const item =
    'type' in rest && typeof text === 'string' && !('properties' in rest) ? { ...rest, properties: {} } : value
  const sorted = Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, one]) => [key, alike(one)]))
}

function theirGraph(graphs: readonly unknown[]) {
  const found: Record<string, string[]> = {}
  for (const { properties } of graphs as readonly OpenGraph[])
    for (const [name, content] of properties) (found[name.trim()] ??= []).push(content.trim())
  return found
}

/** Returns ours as lists, of the namespaces that they read. */
function ourGraph(graph: unknown, theirs: readonly unknown[]) {
  const declared = (theirs as readonly OpenGraph[]).flatMap(({ namespace }) => Object.keys(namespace))
  const known = new Set([...NAMESPACES, ...declared])
  const entries = Object.entries(graph as Readonly<Record<string, unknown>>)
  return Object.fromEntries(
    entries.filter(([name]) => known.has(name.split(':', 1)[0] ?? '')).map(([name, value]) => [name, [value].flat()]),
  )
}

describeIf(
  shared !== undefined && JUDGES_PYTHON !== null,
  `set TIDEMARK_SHARED to the folder with the recorded pages, and ${JUDGES_ADVICE}`,
)('what recorded pages state for machines', () => {
  const differing: string[] = []
  const compared: Record<Part, number> = { json_ld: 0, microdata: 0, open_graph: 0 }

  beforeAll(async () => {
    await loadStructuredData()
    const folder = new CorpusFolder(join(shared ?? '', 'corpus'))
    const pages = folder
      .list('html')
      .filter((file) => file.endsWith('.html'))
      .map((file) => {
        const { body, contentType, url } = folder.page(file)
        return { name: file.slice('html/'.length), url, html: decode(body, contentType, 'html').text }
      })
    const judge = join(import.meta.dirname, 'extruct-parts.py')
    const input = JSON.stringify(pages)
    const answer = execFileSync(JUDGES_PYTHON ?? '', [judge], { input, maxBuffer: 2 ** 28, encoding: 'utf8' })
    const judged = JSON.parse(answer) as Readonly<Record<string, Theirs>>
    for (const { name, url, html } of pages) {
      const theirs = judged[name] ?? { json_ld: [], microdata: [], open_graph: [] }
      const page = { body: Buffer.from(html), contentType: 'text/html; charset=utf-8', url }
      const fields = Object.fromEntries(PARTS.map((part) => [part, `$.${part}`]))
      const ours = values(extract(page, { method: 'json_path', read_as: 'structured_data', fields }))
      for (const part of PARTS) {
        const isGraph = part === 'open_graph'
        const one = alike(isGraph ? ourGraph(ours[part], theirs[part]) : ours[part])
        const other = alike(isGraph ? theirGraph(theirs[part]) : theirs[part])
        if (Object.keys(one as object).length > 0) compared[part] += 1
        if (JSON.stringify(one) !== JSON.stringify(other)) differing.push(`${name} ${part}`)
      }
    }
  }, 120_000)

  test('are what extruct reads there, but for those that are listed with a reason', () => {
    expect(differing).toEqual(Object.keys(DIFFERENCES))
  })

  test.each<[Part, number]>([
    ['json_ld', 12],
    ['microdata', 18],
    ['open_graph', 39],
  ])('are there in %s of %i pages at least', (part, least) => {
    expect(compared[part]).toBeGreaterThanOrEqual(least)
  })
})
