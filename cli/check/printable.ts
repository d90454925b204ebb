/** Characters that a terminal may act on or that reverse the direction of text. The text of pages is untrusted. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

/** Returns text that a terminal only displays: control and format characters are written as escapes. */
export function printable(text: string): string {
  return text.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
}

const MOST_CHARACTERS = 160

/** Returns a value as JSON, on one line, cut where it is long. */
export function printableValue(value: unknown): string {
  const text = JSON.stringify(value)
  if (text.length <= MOST_CHARACTERS) return printable(text)
  // The cut may be within a surrogate pair.
  const start = printable(text.slice(0, MOST_CHARACTERS).toWellFormed())
  return `${start}… (${text.length} characters; --json shows them all)`
}
