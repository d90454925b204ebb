import type { Json } from '../../../../schema/shape/json.ts'
import { htmlLink } from '../html-text.ts'

/** A piece of text, and the address that it is a link to. */
export interface Run {
  text: string
  readonly link: string | null
}

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly runs: readonly Run[] }
  | { readonly type: 'paragraph'; readonly runs: readonly Run[] }
  | { readonly type: 'list_item'; readonly level: number; readonly runs: readonly Run[] }
  | { readonly type: 'table'; readonly rows: readonly (readonly (readonly Run[])[])[] }
  | { readonly type: 'note'; readonly runs: readonly Run[] }

export const textOfRuns = (runs: readonly Run[]): string =>
  runs
    .map(({ text }) => text)
    .join('')
    .trim()

const htmlOf = (runs: readonly Run[]) =>
  runs.map(({ text, link }) => htmlLink(text, link).replaceAll('\n', '<br>')).join('')

/** Returns blocks as HTML. Items that follow each other are one list. */
export function blocksHtml(blocks: readonly Block[]): string {
  const parts: string[] = []
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'list_item' && blocks[at - 1]?.type !== 'list_item') parts.push('<ul>')
    parts.push(blockHtml(block))
    if (block.type === 'list_item' && blocks[at + 1]?.type !== 'list_item') parts.push('</ul>')
  }
  return parts.join('\n')
}

function blockHtml(block: Block): string {
  switch (block.type) {
    case 'heading':
      return `<h${block.level}>${htmlOf(block.runs)}</h${block.level}>`
    case 'paragraph':
      return `<p>${htmlOf(block.runs)}</p>`
    case 'list_item':
      return `<li data-level="${block.level}">${htmlOf(block.runs)}</li>`
    case 'note':
      return `<p class="note">${htmlOf(block.runs)}</p>`
    case 'table': {
      // A space, so that the text of a row has its cells as words.
      const rows = block.rows.map((row) => `<tr>${row.map((cell) => `<td>${htmlOf(cell)}</td>`).join(' ')}</tr>`)
      return `<table>\n${rows.join('\n')}\n</table>`
    }
  }
}

export function blockJson(block: Block): Json {
  if (block.type === 'table') return { type: block.type, rows: block.rows.map((row) => row.map(textOfRuns)) }
  const links = block.runs.flatMap(({ text, link }) => (link === null ? [] : [{ text: text.trim(), address: link }]))
  const level = 'level' in block ? { level: block.level } : {}
  return { type: block.type, ...level, text: textOfRuns(block.runs), ...(links.length > 0 && { links }) }
}
