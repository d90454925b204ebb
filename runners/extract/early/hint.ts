import type { Token } from 'parse5'

/**
 * What an element has to have so that a part of a rule can match it. It is quickly compared, and says nothing for sure:
 * an element that has it may not match, and by way of exception one without it may.
 */
export interface Hint {
  /** In small letters; null: any. */
  readonly name: string | null
  readonly attributes: readonly AttributeHint[]
}

export interface AttributeHint {
  readonly name: string
  /** A part of the value; null: any value. */
  readonly part: string | null
}

export const ANY: Hint = { name: null, attributes: [] }

/** Returns whether the element of a start tag has what a hint says. */
export function fits({ name, attributes }: Hint, { tagName, attrs }: Token.TagToken): boolean {
  if (name !== null && tagName !== name) return false
  for (const wanted of attributes) {
    const found = attrs.find((attribute) => attribute.name === wanted.name)
    if (found === undefined || (wanted.part !== null && !found.value.includes(wanted.part))) return false
  }
  return true
}
