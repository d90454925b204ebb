import type { ParentNode } from 'domhandler'
import type { Token } from 'parse5'
import type { Tree } from '../tree.ts'

/** What a page is read for, so that reading can stop where it is known. */
export interface Sought {
  /**
   * Is told of each start tag as soon as it was read. Returns whether all that is sought may be in the tree.
   *
   * @param current the open element that is read: that of the tag, unless it has no content
   */
  see(tag: Token.TagToken, current: ParentNode | undefined): boolean
  /** Returns whether it is worth looking into the tree. */
  isDue(isOpen: IsOpen): boolean
  /**
   * Returns whether all of it is in a tree that can only grow at its end, and nothing that is still read adds to it. The
   * tree is not used again, unless it is the last one.
   */
  isFound(tree: Tree, isOpen: IsOpen): boolean
}

/** Returns whether the content of an element may still grow. */
export type IsOpen = (element: ParentNode) => boolean
