/** Characters that show nothing or turn the direction of what follows. A name has no use for them. */
export const UNSEEN = /([\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]|(?! )\p{Zs})/u

/** Returns how a character is written that cannot be shown: `U+202E`. */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Returns a name for where only a text can stand, with what cannot be seen as its code. */
export const withCodes = (text: string): string => text.replaceAll(new RegExp(UNSEEN, 'gu'), codeOf)
