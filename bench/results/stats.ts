/** The median of some measurements, the least and the greatest. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Returns the spread of at least one value. For an even number of values the median is the mean of the middle two. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('no measurements')
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, min: at(0), max: at(sorted.length - 1) }
}

/** Returns the value below which a share of them is. */
export function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Divides element by element: each round of Tidemark by the bare round right before it. */
export function ratios(ours: readonly number[], bare: readonly number[]): number[] {
  return ours.map((value, i) => value / (bare[i] ?? Number.NaN))
}
