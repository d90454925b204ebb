/** Returns a text for a line of a comment: nothing in it ends the line, and nothing hides a part of it. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')

/** Characters that JSON does not escape and that a terminal or an editor does not show as they are. */
const UNSEEN = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu

/** Returns the text of a string in JSON or JavaScript with escapes in place of characters that nobody sees. */
export const visible = (literal: string): string => literal.replaceAll(UNSEEN, escaped)

/** A character beyond 16 bits has two escapes. */
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')
