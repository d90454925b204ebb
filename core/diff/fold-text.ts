/** Matches white space other than a space, or two spaces in a row. Most text has neither, and is not copied then. */
const UNEVEN = /[^\S ]| {2}/

/**
 * Returns the text trimmed and with white space folded to single spaces: a difference only in white space is not a
 * change.
 */
export function foldText(text: string): string {
  const isEven = !UNEVEN.test(text) && !text.startsWith(' ') && !text.endsWith(' ')
  return isEven ? text : text.replace(/\s+/g, ' ').trim()
}
