import type { DigestMessage } from './digest-story.ts'
import type { Links } from './links.ts'
import type { MessagePayload, NoticeMessage } from './message-payload.ts'
import type { Story } from './story.ts'
import { type Wording, wordedStory } from './worded-story.ts'

/** What a message is written from besides its payload. */
export interface MessageWording extends Wording {
  /** Where it tells of several changes. */
  readonly digest?: DigestMessage | undefined
}

/** Returns the content of a message: of several changes, of one in the user's words or in ours, or of a notice. */
export const messageStory = (
  payload: MessagePayload | NoticeMessage,
  links: Links,
  { digest, ...wording }: MessageWording = {},
): Story => digest?.story ?? wordedStory(payload, links, wording)
