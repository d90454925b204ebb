import { parseMarkup } from '../../on-tree.ts'
import type { Failed, Page } from '../../page.ts'
import { isBinaryType, markupKind, mediaType } from '../../text/page-kind.ts'
import { documentOf } from '../json-document.ts'
import { jsonOutline } from './json-outline.ts'
import type { Outline } from './outline-node.ts'
import { xmlOutline } from './xml-outline.ts'

/** Returns the tree of a document that has no picture to point at; null: it is HTML, or neither JSON nor XML. */
export function outlineOf(page: Page): Outline | Failed | null {
  const json = documentOf(page)
  if (json !== null) return json.ok ? jsonOutline(json.document) : json
  if (isBinaryType(mediaType(page.contentType)) || markupKind(page) !== 'xml') return null
  const parsed = parseMarkup(page)
  return parsed.ok ? xmlOutline(parsed.tree) : parsed
}
