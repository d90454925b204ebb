import { parseAllDocuments } from 'yaml'
import { importChangedetection } from './changedetection.ts'
import type { Imported } from './imported.ts'
import { importUptimeKuma } from './uptime-kuma.ts'
import { importUrlwatch } from './urlwatch.ts'

/** The tools whose configuration can be imported, each with what is read of it. */
const IMPORTED_TOOLS = {
  changedetection: 'url-watches.json of the data folder or of a backup, or a watch.json',
  urlwatch: 'urls.yaml',
  webchanges: 'jobs.yaml',
  'uptime-kuma': 'a backup as JSON, with monitorList',
} as const
export type ImportedTool = keyof typeof IMPORTED_TOOLS

/** Returns the monitors in the configuration of another tool, or what is wrong with the text. */
export function readImport(tool: ImportedTool, text: string, intervalSeconds: number): Imported | string {
  const read = valuesIn(text)
  if (!read.ok) return `cannot be read: ${read.reason}`
  const imported = importOf(tool, read.values, intervalSeconds)
  return imported ?? `is not what ${tool} writes: it has to be ${IMPORTED_TOOLS[tool]}`
}

type Values =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly reason: string }

function valuesIn(text: string): Values {
  const value = jsonIn(text)
  if (value !== undefined) return { ok: true, values: [value] }
  try {
    // What is no JSON may be YAML, and faults of JSON have lines then.
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

function importOf(tool: ImportedTool, values: readonly unknown[], intervalSeconds: number): Imported | null {
  switch (tool) {
    case 'changedetection':
      return importChangedetection(values[0])
    case 'uptime-kuma':
      return importUptimeKuma(values[0])
    case 'urlwatch':
    case 'webchanges':
      return importUrlwatch(values, intervalSeconds)
  }
}
