/** What a run found of the plotted field. */
export interface Step {
  readonly atMs: number
  readonly runId: string
  /** Null: it has no number. Undefined: the run says nothing of the field. */
  readonly number: number | null | undefined
  /** The run found a difference, of any field. */
  readonly isChange: boolean
}

/** From `atMs` on the field is `value`. Of several steps: the last one, and the range of all. */
interface Point {
  readonly atMs: number
  readonly value: number | null
  readonly min: number | null
  readonly max: number | null
  readonly runId: string | null
}

/** Changes that one mark stands for: how many, and the last of them. */
interface Mark {
  readonly atMs: number
  readonly runId: string
  readonly count: number
}

/** The field at the beginning. Null: nothing is known of it then. */
interface Start {
  readonly atMs: number
  readonly number: number | null
}

/**
 * Returns the points of a plot of steps, the oldest first, and the marks of their changes, each at most `most`. A value
 * that stays is one point. Where there are more, the time of all is cut into `most` equal parts, of which each has at
 * most one point and one mark.
 */
export function plottedSeries(
  start: Start | null,
  steps: readonly Step[],
  most: number,
): { readonly points: readonly Point[]; readonly marks: readonly Mark[] } {
  const begun: readonly Point[] = start === null ? [] : [pointOf({ ...start, runId: null })]
  const points = [...begun]
  const marks: Mark[] = []
  for (const { atMs, runId, number, isChange } of steps) {
    if (number !== undefined && (points.length === 0 || points.at(-1)?.value !== number))
      points.push(pointOf({ atMs, runId, number }))
    if (isChange) marks.push({ atMs, runId, count: 1 })
  }
  return { points: joined(points, most, ofPoints), marks: joined(marks, most, ofMarks) }
}

const pointOf = ({ atMs, number, runId }: Start & { readonly runId: string | null }): Point => ({
  atMs,
  value: number,
  min: number,
  max: number,
  runId,
})

/** A point begins where the first of its steps does, and its value is that of the last. */
const ofPoints = (one: Point, next: Point): Point => ({
  ...next,
  atMs: one.atMs,
  min: extreme(Math.min, one.min, next.min),
  max: extreme(Math.max, one.max, next.max),
})
const ofMarks = (one: Mark, next: Mark): Mark => ({ ...next, count: one.count + next.count })

const extreme = (of: (...numbers: number[]) => number, one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : of(one, other)

/** Joins neighbours that lie in the same part of the time, where there are more than `most`. */
function joined<T extends { readonly atMs: number }>(
  items: readonly T[],
  most: number,
  join: (one: T, next: T) => T,
): readonly T[] {
  const [first, last] = [items[0], items.at(-1)]
  if (first === undefined || last === undefined || items.length <= most) return items
  const part = (last.atMs - first.atMs + 1) / most
  const parts: T[] = []
  let at = -1
  for (const item of items) {
    const own = Math.floor((item.atMs - first.atMs) / part)
    const known = parts.at(-1)
    if (known !== undefined && own === at) parts[parts.length - 1] = join(known, item)
    else parts.push(item)
    at = own
  }
  return parts
}

/** Where the outcome of checks became another one. */
interface Turn {
  readonly atMs: number
  /** Null: from here on checks succeed. */
  readonly code: string | null
}

/** A stretch of checks that failed for one reason. */
interface Stretch<Code> {
  readonly fromMs: number
  /** Null: it goes on. */
  readonly toMs: number | null
  readonly code: Code
}

/** Returns the stretches of failures between turns, the oldest first. */
export const stretchesOf = <Code extends string>(
  turns: readonly (Turn & { readonly code: Code | null })[],
): readonly Stretch<Code>[] =>
  turns.flatMap(({ atMs, code }, nth) =>
    code === null ? [] : [{ fromMs: atMs, toMs: turns[nth + 1]?.atMs ?? null, code }],
  )
