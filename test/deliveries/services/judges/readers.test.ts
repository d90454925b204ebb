import type * as Cards from 'adaptivecards'
import { CloudEvent, HTTP } from 'cloudevents'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { digestMessage } from '../../../../deliveries/messages/digest-story.ts'
import type { MessagePayload } from '../../../../deliveries/messages/message-payload.ts'
import { messageStory, type MessageWording } from '../../../../deliveries/messages/message-story.ts'
import { SERVICES } from '../../../../deliveries/services/services.ts'
import { SERVICE_TABLE } from '../../../../schema/monitor/delivery-services.ts'
import { LINKS, payloadOf } from '../../../support/mail/mailbox.ts'
import { ID, noticeOf, sent } from '../sending.ts'

// Node finds no entry of the package: its modules import each other without the ends of their names.
const { AdaptiveCard, SerializationContext } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.min.js',
) as typeof Cards

type Card = { readonly $schema: string; readonly body: readonly { readonly inlines: readonly { text: string }[] }[] }

/** Returns the card of a request, which the library has to read whole. */
function cardOf(body: string): Card {
  const { attachments } = JSON.parse(body) as { attachments: [{ content: Card }] }
  const [{ content }] = attachments
  const card = new AdaptiveCard()
  const context = new SerializationContext()
  card.parse(content, context)
  expect(Array.from({ length: context.eventCount }, (_, n) => context.getEventAt(n).message)).toEqual([])
  expect(card.validateProperties().validationEvents).toEqual([])
  // An element that it does not know, and a property that it does not know, would be missing.
  const { $schema: _, ...written } = card.toJSON() as { readonly $schema: string }
  const { $schema: __, ...meant } = content
  expect(written).toEqual(meant)
  return content
}

/** Returns the lines of a card for Teams, of a message in words of a user or of several changes. */
function linesOf(payload: MessagePayload, wording: MessageWording): string[] {
  const story = messageStory(payload, LINKS, wording)
  const { limit } = SERVICE_TABLE.teams
  const about = { id: ID, url: 'https://a.example/', notice: null, body: null, method: 'POST', text: '' } as const
  const { body } = SERVICES.teams.request({ ...about, options: {}, story, payload, limit })
  return cardOf(body).body.flatMap(({ inlines }) => inlines.map(({ text }) => text))
}

describe('The library adaptivecards', () => {
  test.each([{}, { payload: noticeOf('failing'), notice: 'failing' }])(
    'reads a card for Teams whole',
    async (sending) => {
      cardOf((await sent('teams', sending)).request.body.toString())
    },
  )

  // What a text of one's own and a value may hold of markup, it holds as text.
  const HOSTILE = '**$17.49** [x](https://evil.test) <at>all</at> {{DATE(2026-05-01T12:00:00Z, SHORT)}} "\u2028'
  const changed = payloadOf({ price: ['$19.99', HOSTILE] })

  test('reads one with a title and a text of the user’s own, in which nothing is markup', () => {
    const message = { title: '_{{monitor.name}}_', text: '# Now {{fields.price.after}}\n{{run.url}} {{changes}}' }
    const [title, text, where] = linesOf(changed, { message, named: { labels: {} } })
    expect(title).toBe('_Kettle_')
    expect(text).toContain(
      '# Now **$17.49** [x](https://evil.test) <at>all</at> {\u200b{DATE(2026-05-01T12:00:00Z, SHORT)}}',
    )
    expect(where).toMatch(/UTC$/)
  })

  test('reads one of several changes, of 50 as of two', () => {
    for (const count of [2, 50]) {
      const monitor = (nth: number) => ({ ...changed.monitor, name: `Kettle ${nth}` })
      const parts = Array.from({ length: count }, (_, nth) => ({
        payload: JSON.stringify({ ...changed, monitor: monitor(nth) }),
      }))
      const digest = digestMessage({ parts, count, monitors: count }, LINKS)
      const [title, ...lines] = linesOf(changed, { digest })
      expect(title).toBe(`${count} changes in ${count} monitors`)
      for (let nth = 0; nth < count; nth++) expect(lines.join('\n')).toContain(`Kettle ${nth}: price`)
    }
  })
})

describe('The library cloudevents', () => {
  test.each([
    [{}, 'dev.tidemark.change'],
    [{ payload: noticeOf('failing'), notice: 'failing' }, 'dev.tidemark.notice.failing'],
  ])('reads an event as it is meant', async (sending, type) => {
    const { request } = await sent('cloudevents', sending)
    const headers = Object.fromEntries(request.headers)
    const event = HTTP.toEvent<object>({ headers, body: request.body.toString() })
    if (Array.isArray(event)) throw new Error('it was read as several events')
    const { data, id, time, source } = JSON.parse(request.body.toString())
    expect(new CloudEvent(event, true).validate()).toBe(true)
    expect(event).toMatchObject({ specversion: '1.0', type, id, source, time, data })
  })
})
