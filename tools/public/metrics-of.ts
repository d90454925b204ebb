import type { SourceFile } from '../check/source-file.ts'

/** A metric. The type and the labels are null where the code puts them together. */
export interface PublicMetric {
  readonly type: 'counter' | 'gauge' | 'histogram' | null
  readonly labels: readonly string[] | null
}

/** The folders of the programs. */
const CODE = /^(?:api|boot|cli|concurrency|core|deliveries|egress|operator|platform|runners|store|worker)\/.*\.ts$/
const LIBRARY = "from 'prom-client'"
/** The values of the names in templates. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  what: ['delivery', 'notice'],
  ofWhat: ['deliveries', 'notices'],
}

/** Returns the metrics that the code makes, by name, as far as they can be read from it. */
export function metricsOf(files: readonly SourceFile[]): Readonly<Record<string, PublicMetric>> {
  const found = files.filter(({ path, text }) => CODE.test(path) && text.includes(LIBRARY)).flatMap(metricsIn)
  // A name with its type comes last, and so replaces one without.
  const sorted = found.toSorted(
    ([a, x], [b, y]) => a.localeCompare(b) || Number(x.type !== null) - Number(y.type !== null),
  )
  return Object.fromEntries(sorted)
}

function metricsIn({ text }: SourceFile): Named[] {
  const made = [...text.matchAll(/new (Counter|Gauge|Histogram)\(\{/g)].map((match) => {
    const [opening, kind = ''] = match
    const block = blockAt(text, match.index + opening.length)
    return { names: namesIn(block, text), metric: { type: TYPES[kind] ?? null, labels: labelsIn(block) } }
  })
  // A helper makes those whose names are its parameters.
  const helpers = made.filter(({ names }) => names.length === 0).map(({ metric }) => metric)
  const [helper = UNKNOWN, ...others] = helpers
  const named = [...text.matchAll(/'(tidemark_[a-z_]+)'/g)].map(([, name = '']): Named => [
    name,
    others.length === 0 ? helper : UNKNOWN,
  ])
  const [, prefix] = /`(tidemark_[a-z_]+)\$\{name\}`/.exec(text) ?? []
  const composed = [...text.matchAll(/\b(gauge|counter)\(\s*'([a-z_]+)'/g)].map(([, kind, rest]): Named => [
    `${prefix}${rest}`,
    helpers.find(({ type }) => type === kind) ?? { type: kind === 'gauge' ? 'gauge' : 'counter', labels: [] },
  ])
  const literal = made.flatMap(({ names, metric }) => names.map((name): Named => [name, metric]))
  return [...named, ...literal, ...(prefix === undefined ? [] : composed)]
}

type Named = [name: string, metric: PublicMetric]

const UNKNOWN: PublicMetric = { type: null, labels: null }
const TYPES: Readonly<Record<string, PublicMetric['type']>> = {
  Counter: 'counter',
  Gauge: 'gauge',
  Histogram: 'histogram',
}

/** Returns the text up to the bracket that closes the one before it. */
function blockAt(text: string, start: number): string {
  let depth = 1
  let end = start
  while (depth > 0 && end < text.length) {
    const sign = text[end++]
    if (sign === '{') depth++
    if (sign === '}') depth--
  }
  return text.slice(start, end - 1)
}

function namesIn(block: string, text: string): string[] {
  const [, name = ''] = /\bname: ('[a-z_]+'|`[^`]+`|[A-Z_]+)/.exec(block) ?? []
  if (name.startsWith("'")) return [name.slice(1, -1)]
  const [, part = ''] = /\$\{(\w+)\}/.exec(name) ?? []
  if (part !== '') return (PARTS[part] ?? []).map((value) => name.slice(1, -1).replace(`\${${part}}`, value))
  const [, constant] = name === '' ? [] : (new RegExp(`const ${name} = '([a-z_]+)'`).exec(text) ?? [])
  return constant === undefined ? [] : [constant]
}

function labelsIn(block: string): readonly string[] | null {
  if (!block.includes('labelNames')) return []
  const [, list] = /labelNames: \[([^\]]*)\]/.exec(block) ?? []
  if (list === undefined || list.includes('...')) return null
  return [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
}
