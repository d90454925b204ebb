import type { NamedTexts } from '../../core/message/render-message.ts'
import type { Template } from '../../schema/message/message-template.ts'

/** A text in a user's own words, and the values of its names. */
export interface OwnText {
  readonly template: Template
  readonly named: NamedTexts
}

const MOST_MENTIONS = 50

/** Returns what of the user's own words mentions somebody, each once. Values of names are not looked at. */
export function mentionsIn(own: OwnText | null, mention: RegExp): readonly string[] {
  const words = own?.template.parts.map((part) => ('raw' in part ? part.raw : '\0')).join('') ?? ''
  return [...new Set(words.match(mention) ?? [])].slice(0, MOST_MENTIONS)
}
