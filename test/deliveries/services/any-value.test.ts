import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storyOf } from '../../../deliveries/messages/story.ts'
import { wordedStory } from '../../../deliveries/messages/worded-story.ts'
import { bytes } from '../../../deliveries/services/dialects.ts'
import { SERVICES } from '../../../deliveries/services/services.ts'
import type { MessageConfig } from '../../../schema/message/message.ts'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from '../../../schema/monitor/delivery-services.ts'
import { LINKS, payloadOf, RUN_URL } from '../../support/mail/mailbox.ts'
import { anyValue, elementsOf } from './any-value.ts'
import { ID, OPTIONS } from './sending.ts'

const INPUT = { id: ID, url: 'https://a.example/', notice: null, body: null, method: 'POST' } as const

/** Backticks and a backslash, which might end or escape what stands beside them. */
const TICKED = {
  title: 'a',
  text: '`price: {{fields.price.after}}` it`s C:\\{{fields.price.after}} ``x``\n{{fields.price.after}}',
}
const WORDS = { title: 'Now {{fields.price.after}}', text: 'It is _{{fields.price.after}}_ {{run.url}}' }

function bodyOf(service: ServiceName, after: string, field = 'price', message?: MessageConfig): string {
  const payload = payloadOf({ [field]: ['1', after] })
  const story = wordedStory(payload, LINKS, { message })
  const { limit } = SERVICE_TABLE[service]
  const input = { ...INPUT, options: OPTIONS[service], story, payload, limit }
  return SERVICES[service].request({ ...input, text: JSON.stringify(payload) }).body
}

function parsed(service: ServiceName, body: string): unknown {
  if (service === 'custom') return { message: body }
  return service === 'pushover' ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body)
}

/** The shape of a body: each text of it stands for any. */
function shapeOf(part: unknown): unknown {
  if (typeof part === 'string') return 'text'
  if (part === null || typeof part !== 'object') return part
  if (Array.isArray(part)) return part.map(shapeOf)
  return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, shapeOf(item)]))
}

function textsOf(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  return part !== null && typeof part === 'object' ? Object.values(part).flatMap(textsOf) : []
}

/** Of several texts, the one with the links. */
const htmlOf = (service: ServiceName, text: string, message?: MessageConfig) =>
  textsOf(parsed(service, bodyOf(service, text, 'price', message))).findLast((written) => written.includes(RUN_URL)) ??
  '<missing>'

const OF_HTML = ['telegram', 'matrix', 'google_chat'] as const
const OF_CODE = ['mattermost', 'rocket_chat'] as const
const OF_PLAIN_TEXT = ['custom', 'ntfy', 'gotify', 'pushover', 'apprise', 'pagerduty'] as const

describe('For any value of a page', () => {
  test.each(SERVICE_NAMES.filter((name) => name !== 'cloudevents'))('the body of %s has the same shape', (service) => {
    const plain = shapeOf(parsed(service, bodyOf(service, '2')))
    const worded = shapeOf(parsed(service, bodyOf(service, '2', 'price', WORDS)))
    fc.assert(
      fc.property(anyValue, (text) => {
        expect(shapeOf(parsed(service, bodyOf(service, text)))).toEqual(plain)
        expect(shapeOf(parsed(service, bodyOf(service, text, 'price', WORDS)))).toEqual(worded)
      }),
    )
  })

  test('the event of cloudevents differs in that value alone', () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const event = JSON.parse(bodyOf('cloudevents', text)) as { data: unknown }
        expect(event.data).toEqual(JSON.parse(JSON.stringify(payloadOf({ price: ['1', text] }))))
      }),
    )
  })

  test.each(OF_HTML)('the markup of %s has no other element and no other link', (service) => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(undefined, WORDS), (text, message) => {
        for (const name of elementsOf(htmlOf(service, text, message)))
          expect(name).toMatch(/^(b|strong|code|br|a https:\/\/(watch\.)?example\.com\/\S*)$/)
      }),
    )
  })

  test.each(OF_CODE)('it stands in code in %s, which it cannot end', (service) => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(undefined, WORDS), (text, message) => {
        const field = message ? 'price' : text || 'a'
        const { text: raw } = parsed(service, bodyOf(service, text, field, message)) as { text: string }
        const written = raw.replaceAll('\u200b', '').replace(message ? RUN_URL : '', '')
        const outside = written.replace(/`[^`\n]+`/g, '').replace(/\]\(https:\/\/(watch\.)?example\.com\/[^)]*\)/g, '')
        expect(outside).not.toMatch(/[`@<>\]]|https?:/)
        expect(outside.replaceAll('[See the run', '').replaceAll('[example.com/kettle', '')).not.toContain('[')
      }),
    )
  })

  test.each(OF_PLAIN_TEXT)('%s gets no mention and no address in it', (service) => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const sent = parsed(service, bodyOf(service, text)) as {
          readonly message?: string
          readonly body?: string
          readonly payload?: { readonly summary: string; readonly custom_details: { readonly changes: string[] } }
        }
        const of = sent.payload && [sent.payload.summary, ...sent.payload.custom_details.changes].join('\n')
        const written = (sent.message ?? sent.body ?? of ?? '').replace(/\nhttps:\/\/watch\S*( · .*)?$/, '')
        expect(written).toContain('price')
        expect(written).not.toMatch(/@\S(?<!@\u200b)|:\/\/|(?<=\S)\.(?=[\p{L}\p{M}]{2})|\d\.\d{1,3}\.\d{1,3}\.\d/u)
      }),
    )
  })
})

test('Mattermost gets a value as code, whatever backticks stand beside it', () => {
  fc.assert(
    fc.property(anyValue, (text) => {
      const { text: raw } = parsed('mattermost', bodyOf('mattermost', text, 'price', TICKED)) as { text: string }
      const outside = raw.replaceAll(/\u200b```[^`\n]+```\u200b/g, '')
      // Each line of a value is code by itself.
      expect(outside.replaceAll('\n', '')).toBe('`a``price: ` it`s C:\\ ``x``')
    }),
  )
})

test.each(OF_PLAIN_TEXT)('%s gets no mention and no address in a value within own words', (service) => {
  fc.assert(
    fc.property(anyValue, (text) => {
      const written = textsOf(parsed(service, bodyOf(service, text, 'price', WORDS))).filter((one) =>
        one.startsWith('It is _'),
      )
      for (const one of written)
        expect(one.replace(RUN_URL, '')).not.toMatch(/@\S(?<!@\u200b)|:\/\/|(?<=\S)\.(?=[\p{L}\p{M}]{2})/u)
    }),
  )
})

test('Rocket.Chat, whose server looks for mentions in code too, finds none in a value', () => {
  for (const text of ['sold by @all', 'hi #general', '@here', '192.0.2.7/login']) {
    const { text: written } = parsed('rocket_chat', bodyOf('rocket_chat', text)) as { text: string }
    expect(written).not.toMatch(/(^|\s|>)[@#][\w.-]/)
    expect(written.replaceAll('\u200b', '')).toContain(text)
  }
})

describe('A message that is too long', () => {
  test.each(SERVICE_NAMES.filter((name) => !['cloudevents', 'pagerduty'].includes(name)))(
    'to %s has whole changes, the count of the others and the link',
    (service) => {
      const changes = Object.fromEntries(
        Array.from({ length: 200 }, (_, nth) => [`field ${nth}`, ['é'.repeat(2_000), 'ö'.repeat(2_000)] as const]),
      )
      const payload = payloadOf(changes)
      const story = storyOf(payload, LINKS)
      const { limit } = SERVICE_TABLE[service]
      const input = { ...INPUT, options: OPTIONS[service], story, payload, limit }
      const { body } = SERVICES[service].request({ ...input, text: '' })
      const texts = textsOf(parsed(service, body))
      const most = Math.max(...texts.map((text) => (limit.unit === 'bytes' ? bytes(text) : text.length)))
      expect(most).toBeLessThanOrEqual(limit.most)
      const [, left] = /… and (\d+) more changed fields/.exec(texts.join('\n')) ?? []
      const shown = new Set(texts.join('\n').match(/field \d+/g) ?? []).size
      expect(shown + Number(left)).toBe(200)
      expect(shown).toBeGreaterThan(0)
      expect(body).toContain('5a0f3c52-7d0e-4d0e-a5a8-0b1f5d1f2a3b')
    },
  )
})
