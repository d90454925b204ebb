import { parseMarkup } from '../../on-tree.ts'
import type { Failed, Page } from '../../page.ts'
import { structuredData } from '../../structured-data/structured-data.ts'
import { EVERYTHING } from '../../structured-data/wanted-parts.ts'
import { isBinaryType, markupKind, mediaType } from '../../text/page-kind.ts'
import { documentOf } from '../json-document.ts'
import { jsonOutline } from './json-outline.ts'
import type { Outline } from './outline-node.ts'
import { xmlOutline } from './xml-outline.ts'

/** An outline, and how a page is read for its rules. Null: as it is. */
export interface ReadOutline extends Outline {
  readonly readAs: 'structured_data' | null
}

/** Returns the tree of any document that has one: of HTML, that of what it states for machines. */
export function anyOutlineOf(page: Page): ReadOutline | Failed | null {
  const plain = outlineOf(page)
  if (plain !== null) return 'ok' in plain ? plain : { ...plain, readAs: null }
  if (isBinaryType(mediaType(page.contentType))) return null
  const parsed = parseMarkup(page)
  if (!parsed.ok) return parsed
  const { exact } = structuredData(parsed.tree, page.url, EVERYTHING).parsed
  return { ...jsonOutline(exact), readAs: 'structured_data' }
}

/** Returns the tree of a document that has no picture to point at; null: it is HTML, or neither JSON nor XML. */
export function outlineOf(page: Page): Outline | Failed | null {
  const json = documentOf(page)
  if (json !== null) return json.ok ? jsonOutline(json.document) : json
  if (isBinaryType(mediaType(page.contentType)) || markupKind(page) !== 'xml') return null
  const parsed = parseMarkup(page)
  return parsed.ok ? xmlOutline(parsed.tree) : parsed
}
