import type { Archive } from '../archive/open-archive.ts'
import { readXml } from '../archive/read-xml.ts'
import { type NumberFormat, numberFormat } from './number-format.ts'

/** Returns the formats of numbers by the number of a cell's style. */
export function readStyles(archive: Archive, path: string | undefined): readonly NumberFormat[] {
  if (path === undefined) return []
  const codes = new Map<number, string>()
  const ids: number[] = []
  let isCells = false
  readXml(path, archive.read(path), {
    open(name, attribute) {
      const id = Number(attribute('numFmtId') ?? 0)
      if (name === 'numFmt') codes.set(id, attribute('formatCode') ?? 'General')
      else if (name === 'cellXfs') isCells = true
      else if (name === 'xf' && isCells) ids.push(id)
    },
    close: (name) => void (name === 'cellXfs' && (isCells = false)),
  })
  return ids.map((id) => numberFormat(id, codes.get(id)))
}
