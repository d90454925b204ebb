import { bytes, htmlText, plainText } from './dialects.ts'
import { below, JSON_TYPE, objectOf, type Service, waitOfMs } from './service.ts'
import { writeStory } from './write-story.ts'

const HTML = htmlText({ bold: 'strong', value: 'code', lineBreak: '<br>', cost: bytes })
const TEXT = plainText(bytes)

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
        // Nobody is notified by name, whatever the text contains.
        'm.mentions': {},
      }),
    }
  },
  read: (_status, body) => waitOfMs(objectOf(body)['retry_after_ms']),
}
