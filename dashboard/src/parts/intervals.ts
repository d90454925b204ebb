/** Intervals that are offered, in seconds. */
export const INTERVALS = [60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800] as const
