import type { ParentNode } from 'domhandler'
import type { Token } from 'parse5'
import type { Tree } from '../tree.ts'

/** What a page is read for, so that reading can stop where it is known. */
export interface Sought {
  /**
   * Is told of each start tag as soon as it was read. Returns whether all that is sought may be in the tree.
   */
  see(tag: Token.TagToken, place: Place): boolean
  /** Returns whether it is worth looking into the tree. */
  isDue(isOpen: IsOpen): boolean
  /**
   * Returns whether all of it is in a tree that can only grow at its end, and the rest adds nothing to it. The tree is
   * not used again, unless it is the last one.
   */
  isFound(tree: Tree, isOpen: IsOpen): boolean
  /** Drops what it knows of the tree. */
  forget(): void
}

/** Where a start tag was read. */
export interface Place {
  /** The open element that is read: that of the tag, or where it was put. */
  readonly current: ParentNode | undefined
  /** Returns the tree as it is. */
  tree(): Tree
}

/** Returns whether the content of an element may still grow. */
export type IsOpen = (element: ParentNode) => boolean
