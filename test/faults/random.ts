/** Chance that can be had again: the seed is printed, and TIDEMARK_TEST_SEED sets it. */
export interface Chance {
  readonly seed: number
  /** A whole number from 0, below the limit. */
  below(limit: number): number
}

export function chance(): Chance {
  const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  let state = seed
  // Mulberry32's step would do as well; any generator that is the same everywhere does.
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  return { seed, below: (limit) => Math.floor(next() * limit) }
}
