import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A recorded page of a site. */
export interface RecordedPage {
  readonly name: string
  readonly contentType: string
  /** One byte a character, whatever the charset. */
  readonly html: string
  /** The same with another number in its text. */
  readonly otherNumber: string
}

interface Entry {
  readonly name: string
  readonly contentType: string
  readonly mutate: { readonly offset: number; readonly length: number } | null
}

/** Reads the pages of a corpus whose `manifest.json` says where a number of their text is. */
export function recordedPages(folder: string): readonly RecordedPage[] {
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { files: readonly Entry[] }
  return files.flatMap(({ name, contentType, mutate }) => {
    if (!name.endsWith('.html') || !mutate) return []
    const html = readFileSync(join(folder, name), 'latin1')
    const { offset, length } = mutate
    const other = String(Number(html.slice(offset, offset + length)) + 1)
    const otherNumber = html.slice(0, offset) + other + html.slice(offset + length)
    return [{ name, contentType, html, otherNumber }]
  })
}
