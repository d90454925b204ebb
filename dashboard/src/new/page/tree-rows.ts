import type { Family } from './family.ts'

/** A row of a tree that is shown, because all around it is open. */
export interface TreeRow {
  readonly index: number
  /** From 1. */
  readonly level: number
  /** Among its siblings, from 1. */
  readonly position: number
  readonly siblings: number
  readonly isParent: boolean
}

/** Returns the rows of a tree of which some nodes are open, from its top to its end. */
export function treeRows(family: Family, open: ReadonlySet<number>): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const add = (siblings: readonly number[], level: number) => {
    for (const [nth, index] of siblings.entries()) {
      const children = family.childrenOf(index)
      rows.push({ index, level, position: nth + 1, siblings: siblings.length, isParent: children.length > 0 })
      if (open.has(index)) add(children, level + 1)
    }
  }
  add(family.roots, 1)
  return rows
}

/** A tree begins with so many rows at most, opened level by level. */
const FIRST_ROWS = 40

/** Returns the nodes that are open at first: whole levels, as many as fit. */
export function openAtFirst(family: Family): ReadonlySet<number> {
  const open = new Set<number>()
  let shown = family.roots.length
  let level = family.roots
  while (level.length > 0) {
    const next = level.flatMap((index) => family.childrenOf(index))
    if (next.length === 0 || shown + next.length > FIRST_ROWS) return open
    for (const index of level) if (family.childrenOf(index).length > 0) open.add(index)
    shown += next.length
    level = next
  }
  return open
}
