/** The middle of some measurements and how far they lie apart. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Of at least one value. An even count has the mean of the middle two as its median. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('no measurements')
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, min: at(0), max: at(sorted.length - 1) }
}

/** Element by element: each round of ours beside the bare loop that ran right before it. */
export function ratios(ours: readonly number[], bare: readonly number[]): number[] {
  return ours.map((value, i) => value / (bare[i] ?? Number.NaN))
}
