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
  const marks = steps.flatMap(({ atMs, runId, isChange }) => (isChange ? [{ atMs, runId, count: 1 }] : []))
  return { points: joined(pointsOf(start, steps), most, ofPoints), marks: joined(marks, most, ofMarks) }
}

/** Returns a point for each step at which the value became another one. */
function pointsOf(start: Start | null, steps: readonly Step[]): readonly Point[] {
  const points = start === null ? [] : [pointOf({ ...start, runId: null })]
  for (const { atMs, runId, number } of steps)
    if (number !== undefined && (points.length === 0 || points.at(-1)?.value !== number))
      points.push(pointOf({ atMs, runId, number }))
  return points
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

/** The numbers of a stretch of time in three, and the part of the time that had a number. */
interface Summary {
  readonly least: number
  readonly most: number
  /** Each number counts for as long as it held. */
  readonly mean: number
  /** From 0 to 1, of the time in which the value was known. */
  readonly share: number
}

/**
 * Returns the least, the most and the mean of a series between two instants. Time in which checks failed is left out:
 * nobody knows the value then. Null: it never had a number.
 */
export function summaryOf(
  start: Start | null,
  steps: readonly Step[],
  { stretches, fromMs: beginMs, endMs }: Summarized,
): Summary | null {
  const points = pointsOf(start, steps)
  const held = points
    .map(({ atMs, value }, nth) => ({
      value,
      fromMs: Math.max(atMs, beginMs),
      toMs: points[nth + 1]?.atMs ?? endMs,
    }))
    .filter(({ toMs }, nth) => toMs > beginMs || nth === points.length - 1)
  const failed = failedTime(stretches, endMs)
  const known = held.map(({ value, fromMs, toMs }) => ({
    value,
    ms: Math.max(0, toMs - fromMs - failed(fromMs, toMs)),
  }))
  const numbers = known.flatMap(({ value, ms }) => (value === null ? [] : [{ value, ms }]))
  if (numbers.length === 0) return null
  const numberMs = totalOf(numbers)
  // A series of one instant has no time: its numbers count alike then.
  const weights = numberMs === 0 ? numbers.map(({ value }) => ({ value, ms: 1 })) : numbers
  const values = numbers.map(({ value }) => value)
  const weight = totalOf(weights)
  return {
    least: values.reduce((one, other) => Math.min(one, other)),
    most: values.reduce((one, other) => Math.max(one, other)),
    mean: weights.reduce((sum, { value, ms }) => sum + value * (ms / weight), 0),
    share: numberMs === 0 ? numbers.length / known.length : numberMs / totalOf(known),
  }
}

interface Summarized {
  readonly stretches: readonly Stretch<string>[]
  /** What was before is left out. */
  readonly fromMs: number
  readonly endMs: number
}

const totalOf = (parts: readonly { readonly ms: number }[]): number => parts.reduce((sum, { ms }) => sum + ms, 0)

/** Returns how much of a time checks failed. It is asked for times in their order, so that it goes along once. */
function failedTime(stretches: readonly Stretch<string>[], endMs: number): (fromMs: number, toMs: number) => number {
  let first = 0
  return (fromMs, toMs) => {
    let ms = 0
    for (let nth = first; nth < stretches.length; nth += 1) {
      const stretch = stretches[nth]
      if (stretch === undefined || stretch.fromMs >= toMs) break
      const untilMs = stretch.toMs ?? endMs
      if (untilMs <= fromMs) first = nth + 1
      else ms += Math.max(0, Math.min(untilMs, toMs) - Math.max(stretch.fromMs, fromMs))
    }
    return ms
  }
}

/** Whether something was shown, from a run on. Null: its page does not tell. */
interface Shown {
  readonly atMs: number
  readonly runId: string
  readonly isShown: boolean | null
}

/** Returns the stretches in which something was shown, or was not, the oldest first. */
export const shownStretches = (turns: readonly Shown[]) =>
  turns
    .filter(({ isShown }, nth) => isShown !== turns[nth - 1]?.isShown)
    .flatMap(({ atMs, runId, isShown }, nth, kept) =>
      isShown === null ? [] : [{ fromMs: atMs, toMs: kept[nth + 1]?.atMs ?? null, runId, isShown }],
    )
