/** What a terminal may act upon, and what turns text around: pages are strangers'. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

/** Text that a terminal shows and does nothing else with: control and format characters stand as escapes. */
export function printable(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
}

const MOST_CHARACTERS = 160

/** A value as JSON, on one line, cut where it is long. */
export function printableValue(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.length <= MOST_CHARACTERS) return printable(text)
  // A pair of surrogates may be cut in two.
  const start = printable(text.slice(0, MOST_CHARACTERS).toWellFormed())
  return `${start}… (${text.length} characters; --json shows them all)`
}
