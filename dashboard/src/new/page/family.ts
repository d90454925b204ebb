interface Child {
  readonly parent: number | null
}

/** How the nodes of a flat list belong together, by their indexes. */
export interface Family {
  readonly roots: readonly number[]
  childrenOf(index: number): readonly number[]
  /** Null: it is a root. */
  parentOf(index: number): number | null
  /** From the root down to the parent. */
  ancestorsOf(index: number): readonly number[]
  /** Returns the one before (-1) or behind (1) it among its siblings. Null: it is at the end of them. */
  neighbourOf(index: number, by: -1 | 1): number | null
}

/** Returns the family of nodes that name their parents. A parent that is not listed, or that follows, is none. */
export function createFamily(nodes: readonly Child[]): Family {
  const roots: number[] = []
  const children = new Map<number, number[]>()
  const places = new Int32Array(nodes.length)
  const parentOf = (index: number): number | null => {
    const parent = nodes[index]?.parent ?? null
    return parent !== null && parent < index ? parent : null
  }
  for (let index = 0; index < nodes.length; index += 1) {
    const parent = parentOf(index)
    let siblings = roots
    if (parent !== null) {
      siblings = children.get(parent) ?? []
      children.set(parent, siblings)
    }
    places[index] = siblings.length
    siblings.push(index)
  }
  const childrenOf = (index: number): readonly number[] => children.get(index) ?? []
  return {
    roots,
    childrenOf,
    parentOf,
    ancestorsOf(index) {
      const found: number[] = []
      for (let at = parentOf(index); at !== null; at = parentOf(at)) found.unshift(at)
      return found
    },
    neighbourOf(index, by) {
      const parent = parentOf(index)
      const siblings = parent === null ? roots : childrenOf(parent)
      return siblings[(places[index] ?? 0) + by] ?? null
    },
  }
}
