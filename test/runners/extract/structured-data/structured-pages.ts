import { extract } from '../../../../runners/extract/extract.ts'
import { loadStructuredData } from '../../../../runners/extract/structured-data/load.ts'
import { html } from '../pages.ts'

await loadStructuredData()

/** Reads a page as structured data, by one path for each field. */
export const extractStructured = (body: string, fields: Readonly<Record<string, string>>, page = html(body)) =>
  extract(page, { method: 'json_path', read_as: 'structured_data', fields })

/** Returns the value and the warnings of one path. */
export function structured(body: string, path: string): { readonly it: unknown; readonly warnings: readonly string[] } {
  const extraction = extractStructured(body, { it: path })
  if (!extraction.ok) throw new Error(`${extraction.fault.code}: ${extraction.fault.message}`)
  return { it: extraction.values['it'], warnings: extraction.warnings }
}

/** Returns a block of JSON-LD, of a value or of its text. */
export const jsonLd = (value: unknown): string =>
  `<script type="application/ld+json">${typeof value === 'string' ? value : JSON.stringify(value)}</script>`

export const meta = (properties: Readonly<Record<string, string>>): string =>
  Object.entries(properties)
    .map(([property, content]) => `<meta property="${property}" content="${content}">`)
    .join('')
