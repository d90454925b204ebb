import type { Archive } from '../archive/open-archive.ts'
import { readXml } from '../archive/read-xml.ts'
import { relationsOf } from '../archive/relations.ts'
import type { OpenedDocument } from '../opened-document.ts'
import { damaged } from '../refused-document.ts'
import { readSheet } from './read-sheet.ts'
import { readStyles } from './read-styles.ts'
import { type Sheet, sheetsDocument } from './sheet.ts'

interface NamedSheet {
  readonly name: string
  readonly relation: string
  readonly isHidden: boolean
}

/** Reads an XLSX file: the values that its cells have. Formulas are not evaluated; what they gave when saved is. */
export function readWorkbook(archive: Archive, path: string): OpenedDocument {
  const { sheets, is1904 } = sheetsOf(archive, path)
  const relations = relationsOf(archive, path)
  const pathOf = (kind: string) => [...relations.values()].find(({ type }) => type.endsWith(kind))?.target
  const texts = textsOf(archive, pathOf('/sharedStrings'))
  const formats = readStyles(archive, pathOf('/styles'))
  const count = { cells: 0 }
  const read = sheets.flatMap(({ name, relation, isHidden }): Sheet[] => {
    const part = relations.get(relation)
    if (part === undefined) throw damaged(`its sheet ${JSON.stringify(name.slice(0, 100))} is missing`)
    // A chart may fill a sheet.
    if (!part.type.endsWith('/worksheet')) return []
    return [{ name, isHidden, rows: readSheet(archive, part.target, { texts, formats, is1904, count }) }]
  })
  return sheetsDocument(read)
}

function sheetsOf(
  archive: Archive,
  path: string,
): { readonly sheets: readonly NamedSheet[]; readonly is1904: boolean } {
  const sheets: NamedSheet[] = []
  let is1904 = false
  readXml(path, archive.read(path), {
    open(name, attribute) {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attribute('date1904') ?? '')
      if (name !== 'sheet') return
      const isHidden = (attribute('state') ?? 'visible') !== 'visible'
      sheets.push({ name: attribute('name') ?? '', relation: attribute('id') ?? '', isHidden })
    },
  })
  return { sheets, is1904 }
}

/** Returns the texts that cells refer to by their number. Hints on how to read one aloud are left out. */
function textsOf(archive: Archive, path: string | undefined): readonly string[] {
  if (path === undefined) return []
  const texts: string[] = []
  let text = ''
  let isText = false
  let hints = 0
  readXml(path, archive.read(path), {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') hints += 1
      else if (name === 't') isText = hints === 0
    },
    text: (part) => void (isText && (text += part)),
    close(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') hints -= 1
      else if (name === 'si') texts.push(unescaped(text))
    },
  })
  return texts
}

/** Characters that XML has no place for are written as `_x000D_`. */
const unescaped = (text: string) =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
