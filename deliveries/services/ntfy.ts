import { unlinked } from '../messages/unlinked.ts'
import { bytes, plainText } from './dialects.ts'
import { busyPasses, JSON_TYPE, type Service } from './service.ts'
import { titleOf, writeStory } from './write-story.ts'

const DIALECT = plainText(bytes)

/** The JSON form of a message, which goes to the address of the server. */
export const ntfy: Service = {
  request: ({ url, options: { topic, token, priority, tags }, story, limit }) => ({
    method: 'POST',
    url,
    headers: { ...JSON_TYPE, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({
      topic,
      title: unlinked(titleOf(story)),
      message: writeStory(story, DIALECT, { limit, isBare: true }),
      ...(priority !== undefined && { priority: Number(priority) }),
      ...(tags !== undefined && { tags: tags.split(',') }),
      ...(story.runUrl !== null && { click: story.runUrl }),
    }),
  }),
  read: busyPasses,
}
