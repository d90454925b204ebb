import type { Archive } from '../archive/open-archive.ts'
import { readXml } from '../archive/read-xml.ts'

/** What the style of a paragraph says: the level of a heading, from 1; null: it is none. */
export type Styles = ReadonlyMap<string, { readonly heading: number | null; readonly isList: boolean }>

/** Returns the styles that make headings or items, by id. Their names are the same in all languages. */
export function readStyles(archive: Archive, path: string | undefined): Styles {
  const styles = new Map<string, { heading: number | null; isList: boolean }>()
  if (path === undefined || !archive.has(path)) return styles
  let id: string | null = null
  readXml(path, archive.read(path), {
    open(name, attribute) {
      if (name === 'style') id = attribute('styleId')
      if (id === null) return
      const style = styles.get(id) ?? { heading: null, isList: false }
      if (name === 'name') {
        const written = attribute('val') ?? ''
        const level = /^heading ([1-9])$/i.exec(written)?.[1]
        style.heading = level !== undefined ? Math.min(Number(level), 6) : /^title$/i.test(written) ? 1 : style.heading
        style.isList = style.isList || /^list (?:bullet|number|paragraph)/i.test(written)
      } else if (name === 'outlineLvl' && style.heading === null) {
        const level = Number(attribute('val') ?? 9) + 1
        style.heading = level <= 9 ? Math.min(level, 6) : null
      }
      styles.set(id, style)
    },
    close: (name) => void (name === 'style' && (id = null)),
  })
  return styles
}
