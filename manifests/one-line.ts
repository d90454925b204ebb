/** Returns a text for a line of a comment: nothing in it ends the line, and nothing hides a part of it. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
