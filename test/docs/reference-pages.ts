import { readdirSync, readFileSync } from 'node:fs'
import type { Method } from '../../api/http/route.ts'
import { DOC_BLOCKS } from '../support/docs/doc-blocks.ts'

const FOLDER = new URL('../../docs/reference/', import.meta.url)

/** A page of the reference. */
interface Page {
  readonly name: string
  readonly text: string
}

export const PAGES: readonly Page[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), 'utf8') }))

/** A table with its marker: the cells of each row, without the head. */
interface Table {
  readonly page: string
  readonly marker: string | null
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export const TABLES: readonly Table[] = PAGES.flatMap(({ name, text }) =>
  [...text.matchAll(/(?:<!-- (.+) -->\n+)?((?:^\|.*\|\n)+)/gm)].map(([, marker = null, table = '']): Table => {
    const [head = [], , ...rows] = table.trim().split('\n').map(cellsOf)
    return { page: name, marker, head, rows }
  }),
)

/** The tables whose marker begins so, each with what follows. */
export const tablesOf = (kind: string): (Table & { readonly about: string })[] =>
  TABLES.flatMap((table) => {
    const [found, ...about] = table.marker?.split(': ') ?? []
    return found === kind ? [{ ...table, about: about.join(': ') }] : []
  })

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)/)
    .map((cell) => cell.trim())
}

/** A call as a reader would type it. */
export interface Call {
  readonly page: string
  readonly method: Method
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  /** The variable of the credential: `KEY`, `SESSION`, or null. */
  readonly credential: string | null
  readonly sendsJson: boolean
}

/** Stands for `$ID`, `$RUN` and the like. */
const SOME_ID = '019de363-a5c8-7c11-8000-000000c0ffee'

/** What pages write for the same, beside `$BASE` and `$KEY` of the reference. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\$API\b/g, '$BASE/v1'],
  [/\$TIDEMARK\b|http:\/\/127\.0\.0\.1:8080\b/g, '$BASE'],
  [/"\$AUTH"/g, '"Authorization: Bearer $KEY"'],
  [/"\$JSON"/g, "'Content-Type: application/json'"],
]
const asInReference = (text: string) => SPELLINGS.reduce((so, [one, other]) => so.replaceAll(one, other), text)

/** The calls of the API in blocks that no test runs. */
export const CALLS: readonly Call[] = DOC_BLOCKS.filter(
  ({ page, language, marker }) =>
    language === 'sh' &&
    (page.startsWith('reference/') || page === '../examples/README.md' || marker?.startsWith('not run')) &&
    !marker?.endsWith('another test follows this page'),
).flatMap(({ page, text }) =>
  [...asInReference(text).matchAll(/\bcurl (?:[^'"\n\\|)]|\\\n|'[^']*'|"[^"]*")*/g)]
    .filter(([command]) => command.includes('$BASE'))
    .map(([command]) => callOf(page, command)),
)

function callOf(page: string, command: string): Call {
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"\\]+)/g)].map((word) => word[1] ?? word[2] ?? word[3])
  const after = (flag: string) => words.flatMap((word, at) => (word === flag ? [words[at + 1] ?? ''] : []))
  const [data] = after('-d')
  const headers = after('-H')
  const address = words.find((word) => word?.startsWith('$BASE')) ?? ''
  const url = new URL(address.replace('$BASE', 'http://base').replaceAll(/\$\w+/g, SOME_ID))
  return {
    page,
    method: (after('-X')[0] ?? (data === undefined ? 'GET' : 'POST')) as Method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: data === undefined ? undefined : JSON.parse(data),
    credential: headers.flatMap((header) => /^Authorization: Bearer \$(\w+)$/.exec(header)?.[1] ?? [])[0] ?? null,
    sendsJson: headers.includes('Content-Type: application/json'),
  }
}
