import type { Tree } from '../tree.ts'
import type { NodeIndex, XNode } from './nodes.ts'

/** The context of an expression (XPath 1.0 §1): a node, and its position among the current nodes. */
export interface Focus {
  readonly node: XNode
  /** 1-based. */
  readonly position: number
  readonly size: number
}

export interface Env {
  readonly tree: Tree
  readonly index: NodeIndex
}
