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
  // JSON is YAML too, and its faults have lines then.
  const parsed = parseAllDocuments(text, { prettyErrors: true, merge: true })
  const documents = Array.isArray(parsed) ? parsed : []
  const error = documents.flatMap(({ errors }) => errors)[0]
  if (error) return `cannot be read: ${error.message.split('\n')[0] ?? ''}`
  const values = documents.map((document) => document.toJS({ maxAliasCount: 100 }) as unknown)
  const imported = importOf(tool, values, intervalSeconds)
  return imported ?? `is not what ${tool} writes: it has to be ${IMPORTED_TOOLS[tool]}`
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
