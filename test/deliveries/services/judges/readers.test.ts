import type * as Cards from 'adaptivecards'
import { CloudEvent, HTTP } from 'cloudevents'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { noticeOf, sent } from '../sending.ts'

// Node finds no entry of the package: its modules import each other without the ends of their names.
const { AdaptiveCard, SerializationContext } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.min.js',
) as typeof Cards

describe('The library adaptivecards', () => {
  test.each([{}, { payload: noticeOf('failing'), notice: 'failing' }])(
    'reads a card for Teams whole',
    async (sending) => {
      const { request } = await sent('teams', sending)
      const { attachments } = JSON.parse(request.body.toString()) as { attachments: [{ content: object }] }
      const card = new AdaptiveCard()
      const context = new SerializationContext()
      card.parse(attachments[0].content, context)
      expect(Array.from({ length: context.eventCount }, (_, n) => context.getEventAt(n).message)).toEqual([])
      expect(card.validateProperties().validationEvents).toEqual([])
      // An element that it does not know, and a property that it does not know, would be missing.
      const { $schema: _, ...written } = card.toJSON() as { readonly $schema: string }
      const { $schema: __, ...meant } = attachments[0].content as { readonly $schema: string }
      expect(written).toEqual(meant)
    },
  )
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
