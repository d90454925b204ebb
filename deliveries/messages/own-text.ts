import type { NamedTexts } from '../../core/message/render-message.ts'
import type { Template } from '../../schema/message/message-template.ts'

/** A text in a user's own words, and the values of its names. */
export interface OwnText {
  readonly template: Template
  readonly named: NamedTexts
}
