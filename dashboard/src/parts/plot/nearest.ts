/** Returns the place of the instant that is nearest to another one; −1: there are none. */
export const nearestOf = (instants: readonly number[], at: number): number =>
  instants.reduce(
    (best, instant, nth) => (Math.abs(instant - at) < Math.abs((instants[best] ?? Infinity) - at) ? nth : best),
    instants.length > 0 ? 0 : -1,
  )
