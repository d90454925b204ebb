import { mentionsIn, type OwnText } from '../messages/own-text.ts'
import { bytes, htmlText, plainText } from './dialects.ts'
import { below, JSON_TYPE, objectOf, type Service, waitOfMs } from './service.ts'
import { writeStory } from './write-story.ts'

const HTML = htmlText({ bold: 'strong', value: 'code', lineBreak: '<br>', cost: bytes })
const TEXT = plainText(bytes)

const EVERYBODY = '@room'
const MENTION = /(?<![\w@])@(?:room\b|[a-z0-9._=/+-]+:[a-z0-9.-]*[a-z0-9](?::\d+)?)/gi

function notified(own: OwnText | null): object {
  const all = mentionsIn(own, MENTION)
  const people = all.filter((name) => name !== EVERYBODY)
  return { ...(all.includes(EVERYBODY) && { room: true }), ...(people.length > 0 && { user_ids: people }) }
}

/** An event of a room. The id of its transaction is that of the delivery, so a repetition is the same event. */
export const matrix: Service = {
  request({ id, url, options, story, limit }) {
    const room = encodeURIComponent(options['room_id'] ?? '')
    const path = `_matrix/client/v3/rooms/${room}/send/m.room.message/${encodeURIComponent(id)}`
    return {
      method: 'PUT',
      url: below(url, path),
      headers: { ...JSON_TYPE, Authorization: `Bearer ${options['access_token'] ?? ''}` },
      body: JSON.stringify({
        msgtype: 'm.text',
        body: writeStory(story, TEXT, { limit }),
        format: 'org.matrix.custom.html',
        formatted_body: writeStory(story, HTML, { limit }),
        // Whom the user names is notified, and nobody whom a value names.
        'm.mentions': notified(story.own),
      }),
    }
  },
  read: (_status, body) => waitOfMs(objectOf(body)['retry_after_ms']),
}
