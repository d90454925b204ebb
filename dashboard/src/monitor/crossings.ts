import type { Series } from '../api/types.ts'

/** Where a site entered the results of a search, or left them. */
interface Crossing {
  readonly at: string
  readonly kind: 'entered' | 'left'
  /** The rank that it entered at, or had before it left. */
  readonly rank: number
}

/** Returns where a site entered the results and where it left them, the oldest first. */
export const crossingsOf = (points: Series['points']): readonly Crossing[] =>
  points.flatMap(({ at, value }, nth): Crossing[] => {
    const before = points[nth - 1]
    if (before === undefined || (before.value === null) === (value === null)) return []
    if (value !== null) return [{ at, kind: 'entered', rank: value }]
    return [{ at, kind: 'left', rank: before.value ?? 1 }]
  })
