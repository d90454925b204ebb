/** How much space a character takes in the output format; 1 unless given. */
export type Weight = (character: string) => number

const ONE: Weight = () => 1
/** Space for "… (1,234,567 characters left out)" and an ellipsis in front. */
const MARK = 36
/** How much of the common beginning of two texts is shown before they differ. */
const LEAD = 24
const COUNT = new Intl.NumberFormat('en')

/**
 * Returns the text, or its beginning and how many characters were left out. It never weighs more than `max`, which is
 * at least 40.
 */
export function shorten(text: string, max: number, weight: Weight = ONE): string {
  return excerpt(text, 0, max, weight)
}

/**
 * Shortens two texts to at most `max` each. When one has to be cut, and their common beginning is longer than would be
 * shown, both excerpts begin shortly before the first difference: two equal beginnings would not show what changed.
 */
export function shortenBoth(before: string, after: string, max: number, weight: Weight = ONE): [string, string] {
  const isCut = !fits(before, max, weight) || !fits(after, max, weight)
  const parting = isCut ? commonLength(before, after) : 0
  const start = parting > (max - MARK) / 2 ? wordStart(after, parting - LEAD) : 0
  return [excerpt(before, start, max, weight), excerpt(after, start, max, weight)]
}

function excerpt(text: string, start: number, max: number, weight: Weight): string {
  if (start === 0 && fits(text, max, weight)) return text
  let end = start
  let room = max - MARK
  for (const character of text.slice(start, start + 2 * max)) {
    room -= weight(character)
    if (room < 0) break
    end += character.length
  }
  const leftOut = lengthOf(text.slice(0, start)) + lengthOf(text.slice(end))
  const shown = `${start > 0 ? '…' : ''}${text.slice(start, end).trimEnd()}${end < text.length ? '…' : ''}`
  return `${shown} (${COUNT.format(leftOut)} characters left out)`
}

function fits(text: string, max: number, weight: Weight): boolean {
  if (text.length > 2 * max) return false
  let room = max
  for (const character of text) room -= weight(character)
  return room >= 0
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return length
}

/**
 * Returns the start of the word at this index, or the index itself when the word is long. It is never within a
 * surrogate pair.
 */
function wordStart(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at)
  if (space >= 0 && at - space < LEAD) return space + 1
  return /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) ? at - 1 : at
}

/** Counts characters roughly as people count them: a surrogate pair counts once. */
function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}
