/** White space other than a space, or twice in a row. Most text has none, and is not copied then. */
const UNEVEN = /[^\S ]| {2}/

/** White space folded to single spaces and trimmed: text that differs in nothing else has not changed. */
export function foldText(text: string): string {
  const isEven = !UNEVEN.test(text) && !text.startsWith(' ') && !text.endsWith(' ')
  return isEven ? text : text.replace(/\s+/g, ' ').trim()
}
