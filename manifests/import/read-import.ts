import { parseAllDocuments } from 'yaml'
import { CHANGEDETECTION } from './changedetection.ts'
import type { Besides, Imported, OtherTool, Reporters } from './imported.ts'
import { UPTIME_KUMA } from './uptime-kuma.ts'
import { reportersIn } from './urlwatch-reporters.ts'
import { URLWATCH, WEBCHANGES } from './urlwatch.ts'

/** The tools whose configuration can be imported. */
const IMPORTED_TOOLS = {
  changedetection: CHANGEDETECTION,
  'uptime-kuma': UPTIME_KUMA,
  urlwatch: URLWATCH,
  webchanges: WEBCHANGES,
} as const satisfies Readonly<Record<string, OtherTool>>
export type ImportedTool = keyof typeof IMPORTED_TOOLS

/** A watch by itself looks like a job too, so the tools are asked in this order. */
const TOOLS = Object.entries(IMPORTED_TOOLS) as readonly (readonly [ImportedTool, OtherTool])[]

/** Returns what is in the file with the reporters of a tool, or what is wrong with it. */
export function readReporters(tool: ImportedTool, text: string): Reporters | string {
  const own: OtherTool = IMPORTED_TOOLS[tool]
  if (own.hasReporters !== true) return `is not read: ${tool} has its notifications in the file of its monitors`
  const read = valuesIn(text)
  if (!read.ok) return `cannot be read: ${read.reason}`
  return reportersIn(read.values) ?? `is not the configuration of ${tool}: it has no report`
}

/** Returns the monitors in the configuration of another tool, or what is wrong with the text. */
export function readImport(tool: ImportedTool, text: string, besides: Besides): Imported | string {
  const read = valuesIn(text)
  if (!read.ok) return `cannot be read: ${read.reason}`
  const { values } = read
  const own = IMPORTED_TOOLS[tool]
  const [written] = TOOLS.find(([, { isOf }]) => isOf(values)) ?? []
  if (written === undefined) return `is not what ${tool} writes: it has to be ${own.what}`
  // The files of urlwatch and of webchanges have one form.
  if (own.isOf(values) && (written === tool || written === 'urlwatch')) return own.read(values, besides)
  return `is not what ${tool} writes, but of ${written}: ./tidemark import ${written}`
}

type Values =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly reason: string }

function valuesIn(text: string): Values {
  const value = jsonIn(text)
  if (value !== undefined) return { ok: true, values: [value] }
  try {
    // Text that is not JSON may be YAML, and faults of JSON have lines then.
    const parsed = parseAllDocuments(text, { prettyErrors: true, merge: true })
    const documents = Array.isArray(parsed) ? parsed : []
    const error = documents.flatMap(({ errors }) => errors)[0]
    if (error) return { ok: false, reason: notYaml(error) }
    return { ok: true, values: documents.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown) }
  } catch (error) {
    // Aliases of aliases that would fill the memory, an alias without its anchor, or a text that is nested too deeply.
    if (error instanceof ReferenceError) return { ok: false, reason: error.message }
    if (error instanceof RangeError) return { ok: false, reason: 'it is nested too deeply' }
    throw error
  }
}

/** The first line of the parser's message. A colon ends it, because the text at that place follows. */
const notYaml = ({ message }: Error): string => `it is not YAML: ${message.split('\n')[0]?.replace(/:$/, '')}`

/** Returns the value of a JSON text, which is read in a small part of the time of YAML; undefined where it is none. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
