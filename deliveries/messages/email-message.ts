import { emailHtml } from './email-html.ts'
import type { EmailStory } from './email-story.ts'
import { emailText } from './email-text.ts'
import type { Links } from './links.ts'
import type { MessagePayload, NoticeMessage } from './message-payload.ts'
import { shortenBoth } from './shorten.ts'
import type { Change } from './change.ts'
import { firstOf, linesOfList, storyOf } from './story.ts'

/** The readable parts of a mail. They contain no control characters except the line ends of the text. */
export interface EmailMessage {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/* Some mail programs cut off an HTML part of more than 100 KB. */
const MOST_CHANGES = 50
const VALUES = 20_000
const LISTS = 20_000
const MOST_VALUE = 1_000
const MOST_ITEMS = 50
const ITEM = 300

/** Returns subject, text and HTML with the same content. `hasPicture`: the mail has a picture inside. */
export function emailMessage(payload: MessagePayload | NoticeMessage, links: Links, hasPicture = false): EmailMessage {
  const story = storyOf(payload, links)
  const { shown, others } = firstOf(story.changes, MOST_CHANGES)
  const room = Math.min(MOST_VALUE, Math.floor(VALUES / Math.max(1, shown.length)))
  const { name, headline, notes, lines, page, runUrl: url, time, reason } = story
  const shortened: EmailStory = {
    ...{ name, headline, notes, lines, page },
    changes: shown.map((change) => cut(change, { room, listRoom: LISTS / shown.length })),
    others,
    action: url === null ? null : { button: 'See the run', line: 'The run: ', url },
    footer: `Seen by Tidemark on ${time}. ${reason}`,
  }
  return { subject: headline, text: emailText(shortened), html: emailHtml(shortened, hasPicture) }
}

function cut(change: Change, { room, listRoom }: { readonly room: number; readonly listRoom: number }): Change {
  const [before, after] = shortenBoth(change.before, change.after, room)
  const { items } = change
  const lines = items && linesOfList(items, { most: MOST_ITEMS, width: ITEM, room: listRoom })
  return { ...change, before, after, items: lines && { lines, total: lines.length } }
}
