/**
 * The looks of lines in a plot of ranks, as dashes in pixels: their colours alone say nothing to many people.
 * `rank-tones.module.css` has a colour for each.
 */
export const TONES: readonly (readonly number[])[] = [
  [],
  [7, 4],
  [2, 3],
  [10, 3, 2, 3],
  [],
  [7, 4],
  [2, 3],
  [10, 3, 2, 3],
]
