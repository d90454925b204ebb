/** White space folded to single spaces and trimmed: text that differs in nothing else has not changed (DESIGN §4.16). */
export function foldText(text: string): string {
  return NEEDS_FOLDING.test(text) ? text.replace(/\s+/g, ' ').trim() : text
}

/** White space at an end, twice in a row, or other than a space: most text has none, and is not copied then. */
const NEEDS_FOLDING = /^\s|\s$|[^\S ]|\s\s/
