import { describe, expect, test } from 'vitest'
import { SERVICES } from '../../dashboard/src/api/delivery-choices.ts'
import type { DeliveryConfig } from '../../dashboard/src/api/types.ts'
import {
  addressOf,
  newDestination,
  ofKind,
  SERVICE_CHOICES,
  summaryOf,
  TYPES,
  takesDigest,
  takesHeaders,
  takesMessage,
  withAddress,
  withOption,
} from '../../dashboard/src/new/draft/destinations.ts'
import { earlierDestinations } from '../../dashboard/src/new/draft/earlier-destinations.ts'
import { messageNames } from '../../dashboard/src/new/draft/message-names.ts'
import { parseNames } from '../../schema/message/parse-names.ts'
import { canCollect, DeliveryConfig as Schema, isForPeople } from '../../schema/monitor/delivery-config.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const KINDS = [...TYPES, ...SERVICE_CHOICES].map(({ kind }) => kind)
const MESSAGE = { title: 'Tea', text: '{{changes}}' }
const DIGEST = { every_seconds: 3600 }
const HOURS = { from: '22:00', until: '07:00', time_zone: 'UTC' }

/** A destination of a kind as somebody fills it in, with all that it takes. */
function filledIn(kind: (typeof KINDS)[number]): DeliveryConfig {
  const address = kind === 'email' ? 'you@example.com' : 'https://receiver.example/a'
  const made = withAddress(newDestination(kind), address)
  const options = made.type === 'webhook' && made.service ? SERVICES[made.service].options : {}
  const withOptions = Object.entries(options).reduce(
    (found, [name, { example }]) => (found.type === 'webhook' ? withOption(found, name, example) : found),
    made,
  )
  return {
    ...withOptions,
    ...(takesMessage(kind) && { message: MESSAGE }),
    ...(takesDigest(kind) && { digest: DIGEST }),
    ...(takesHeaders(kind) && { headers: { 'x-key': 'a' } }),
    quiet_hours: HOURS,
  }
}

describe('a destination that a person fills in', () => {
  test.each(KINDS)('is valid for %s with all that the form offers for it', (kind) => {
    expect(checkerOf(Schema).validate(filledIn(kind))).toMatchObject({ ok: true })
  })

  test.each(KINDS)('becomes any other kind from %s, and gives no secret to another service or address', (kind) => {
    for (const next of KINDS.filter((one) => one !== kind)) {
      const before = filledIn(kind)
      const other = ofKind(next, before)
      expect(other.message).toEqual(takesMessage(kind) && takesMessage(next) ? MESSAGE : undefined)
      expect(other.digest).toEqual(takesDigest(kind) && takesDigest(next) ? DIGEST : undefined)
      expect(other.quiet_hours).toEqual(HOURS)
      const { options, headers } = other.type === 'webhook' ? other : {}
      expect(options).toBeUndefined()
      if (headers) expect(addressOf(other)).toBe(addressOf(before))
      if ((kind === 'email') !== (next === 'email')) expect(addressOf(other)).not.toBe(addressOf(before))
    }
  })

  test.each(KINDS)('%s is offered words and a digest where the API takes them', (kind) => {
    const { message: _, digest: __, ...plain } = filledIn(kind)
    expect([takesMessage(kind), takesDigest(kind)]).toEqual([isForPeople(plain), canCollect(plain)])
    const isTaken = (more: object) => checkerOf(Schema).validate({ ...plain, ...more }).ok
    expect([isTaken({ message: MESSAGE }), isTaken({ digest: DIGEST })]).toEqual([
      takesMessage(kind),
      takesDigest(kind),
    ])
    if (kind !== 'email' && kind !== 'slack' && kind !== 'discord')
      expect(isTaken({ headers: { 'x-key': 'a' } })).toBe(takesHeaders(kind))
  })

  test('has the address of a service where everybody sends to the same one, and does not keep it', () => {
    const duty = newDestination('pagerduty')
    expect(duty).toMatchObject({ url: 'https://events.pagerduty.com/v2/enqueue' })
    expect(ofKind('telegram', duty)).toMatchObject({ url: '' })
    expect(ofKind('slack', withAddress(newDestination('webhook'), 'https://a.example/'))).toEqual({
      type: 'slack',
      webhookUrl: 'https://a.example/',
    })
  })

  test('has a summary without its secrets', () => {
    const chat = withAddress(newDestination('telegram'), 'https://api.telegram.org/bot1:SECRET/sendMessage')
    const one = chat.type === 'webhook' ? withOption(chat, 'chat_id', '-1001') : chat
    expect(summaryOf(one)).toBe('Telegram · api.telegram.org · -1001')
    const gotify = withAddress(newDestination('gotify'), 'https://gotify.example.com/')
    expect(summaryOf(gotify.type === 'webhook' ? withOption(gotify, 'token', 'SECRET') : gotify)).not.toContain(
      'SECRET',
    )
  })
})

test('destinations of other monitors are offered once each, without wording, and not those that are there', () => {
  const hook = (url: string): DeliveryConfig => ({ type: 'webhook', url, message: MESSAGE })
  const monitors = [
    { name: 'Kettle', deliveries: [hook('https://a.example/'), hook('https://b.example/')] },
    { name: 'Cup', deliveries: [hook('https://a.example/'), hook('https://c.example/')] },
    { name: 'Cup', deliveries: [hook('https://a.example/')] },
  ]
  expect(earlierDestinations(monitors, [{ type: 'webhook', url: 'https://c.example/' }])).toEqual([
    { delivery: { type: 'webhook', url: 'https://a.example/' }, of: ['Kettle', 'Cup'] },
    { delivery: { type: 'webhook', url: 'https://b.example/' }, of: ['Kettle'] },
  ])
})

test('names of messages are offered for the fields and labels that there are, as the API reads them', () => {
  const found = messageNames({ kind: 'page', fields: ['price', 'the "best" price'], labels: ['team'] }).map(
    ({ name }) => name,
  )
  expect(found).toContain('fields.price.before')
  expect(found).toContain('monitor.labels.team')
  expect(found.filter((name) => name.includes('*') || name.startsWith('serp.'))).toEqual([])
  for (const name of found) expect(parseNames(`{{${name}}}`)).toMatchObject({ faults: [] })
})
