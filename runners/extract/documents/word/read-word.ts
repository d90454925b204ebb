import type { Archive } from '../archive/open-archive.ts'
import { readXml } from '../archive/read-xml.ts'
import { relationsOf } from '../archive/relations.ts'
import type { OpenedDocument } from '../opened-document.ts'
import { withoutText } from '../refused-document.ts'
import { BlockReader } from './block-reader.ts'
import { type Block, blockJson, blocksHtml, textOfRuns } from './block.ts'
import { readStyles } from './read-styles.ts'

/**
 * Reads the text of a DOCX file, with insertions and without deletions that nobody has accepted yet. Headers and
 * footers, comments, fields' instructions and remote templates are not read.
 */
export function readWord(archive: Archive, path: string): OpenedDocument {
  const relations = relationsOf(archive, path)
  const partOf = (kind: string) => [...relations.values()].find(({ type }) => type.endsWith(kind))?.target
  const styles = readStyles(archive, partOf('/styles'))
  const blocks = blocksOf(path, new BlockReader({ styles, relations: relationsOf(archive, path) }), archive)
  for (const kind of ['/footnotes', '/endnotes']) {
    const notes = partOf(kind)
    if (notes === undefined || !archive.has(notes)) continue
    const found = blocksOf(notes, new BlockReader({ styles, relations: relationsOf(archive, notes) }), archive)
    for (const block of found) if ('runs' in block) blocks.push({ type: 'note', runs: block.runs })
  }
  const filled = blocks.filter((block) => block.type === 'table' || textOfRuns(block.runs) !== '')
  if (filled.every(hasNoText)) throw withoutText('The document has no text')
  return {
    html: () => blocksHtml(filled),
    json: () => ({ blocks: filled.map(blockJson) }),
    warnings: [],
  }
}

const hasNoText = (block: Block) =>
  block.type === 'table' && block.rows.every((row) => row.every((cell) => textOfRuns(cell) === ''))

function blocksOf(path: string, reader: BlockReader, archive: Archive): Block[] {
  readXml(path, archive.read(path), reader)
  return reader.blocks
}
