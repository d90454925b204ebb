import type { Document } from 'domhandler'
import type { Tree } from '../tree.ts'

const NO_PREFIXES: ReadonlyMap<string, string> = new Map()

/** Returns the tree of a document that parse5 made. */
export const treeOf = (document: Document): Tree => ({
  document,
  kind: 'html',
  quirks: document['x-mode'] === 'quirks',
  prefixes: NO_PREFIXES,
})
