import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UNMARKED } from '../../../deliveries/messages/dialect.ts'
import { digestMessage, type DigestMessage } from '../../../deliveries/messages/digest-story.ts'
import { discordMessage } from '../../../deliveries/messages/discord-message.ts'
import { emailMessage } from '../../../deliveries/messages/email-message.ts'
import { messageStory } from '../../../deliveries/messages/message-story.ts'
import { slackMessage } from '../../../deliveries/messages/slack-message.ts'
import { writeChanges } from '../../../deliveries/messages/write-blocks.ts'
import { SERVICES } from '../../../deliveries/services/services.ts'
import type { MessageConfig } from '../../../schema/message/message.ts'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from '../../../schema/monitor/delivery-services.ts'
import { LINKS, payloadOf, RUN_URL } from '../../support/mail/mailbox.ts'
import { anyValue, elementsOf } from '../services/any-value.ts'
import { ID, OPTIONS } from '../services/sending.ts'

const NAMES = ['Kettle', 'Mug', 'Pan']
const payloadFor = (name: string, after = '$17.49') => {
  const payload = payloadOf({ price: ['$19.99', after] })
  return { ...payload, monitor: { ...payload.monitor, name } }
}
/** A digest of a change in each of several monitors. */
function digestOf(
  changes: readonly ReturnType<typeof payloadFor>[],
  message?: MessageConfig,
  { count = changes.length, monitors = changes.length } = {},
): DigestMessage {
  const parts = changes.map((payload) => ({ payload: JSON.stringify(payload), message }))
  return digestMessage({ parts, count, monitors }, LINKS)
}
const THREE = digestOf(NAMES.map((name) => payloadFor(name)))
const FIRST = payloadFor('Kettle')

const COLLECTING = SERVICE_NAMES.filter((name) => name !== 'custom' && name !== 'cloudevents')

function requestOf(service: ServiceName, digest: DigestMessage) {
  const { limit } = SERVICE_TABLE[service]
  const about = { id: ID, url: 'https://a.example/', notice: null, body: null, method: 'POST' } as const
  const story = messageStory(FIRST, LINKS, { digest })
  return SERVICES[service].request({ ...about, options: OPTIONS[service], story, payload: FIRST, limit, text: '' })
}

const shownIn = (service: ServiceName, body: string): string =>
  service === 'pushover'
    ? Array.from(new URLSearchParams(body).values()).join('\n')
    : textsOf(JSON.parse(body)).join('\n')

function textsOf(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  return part !== null && typeof part === 'object' ? Object.values(part).flatMap(textsOf) : []
}

describe('A message of several changes', () => {
  test.each(COLLECTING)('to %s has its title, a line for each change, and a link to each run', (service) => {
    const text = shownIn(service, requestOf(service, THREE).body).replaceAll('\u200b', '')
    expect(text).toContain('3 changes in 3 monitors')
    for (const name of NAMES) expect(text).toContain(`${name}: price $19.99 → $17.49`)
    // Matrix has its text in two forms.
    expect(text.split(RUN_URL)).toHaveLength(service === 'matrix' ? 7 : 4)
  })

  test('is sections of Slack, with a link in each line', () => {
    const { text, blocks } = slackMessage(FIRST, LINKS, null, { digest: THREE })
    expect(text).toBe('3 changes in 3 monitors')
    const lines = NAMES.map((name) => `• ${name}: price $19.99 → $17.49 (−12.5 %) <${RUN_URL}|See the run>`)
    expect(blocks).toMatchObject([
      { type: 'header', text: { text: '3 changes in 3 monitors' } },
      { type: 'section', text: { type: 'mrkdwn', text: lines.join('\n') } },
      { type: 'context' },
    ])
  })

  test('is the description of an embed of Discord', () => {
    const [embed] = discordMessage(FIRST, LINKS, null, { digest: THREE }).embeds
    expect(embed).toMatchObject({ title: '3 changes in 3 monitors', fields: [] })
    for (const name of NAMES) expect(embed.description).toContain(`• ${name}: price`)
    expect(embed.description.split(`[See the run](${RUN_URL})`)).toHaveLength(4)
  })

  test('is a mail with both bodies', () => {
    const { subject, text, html } = emailMessage(FIRST, LINKS, false, { digest: THREE })
    expect(subject).toBe('3 changes in 3 monitors')
    for (const name of NAMES) {
      expect(text).toContain(`• ${name}: price $19.99 → $17.49`)
      expect(html).toContain(`• ${name}: price $19.99 → $17.49`)
    }
    expect(html.split(`<a href="${RUN_URL}">See the run</a>`)).toHaveLength(4)
    expect(text).toContain(RUN_URL)
  })

  test('has the text of the user on one line, and our words where that is empty', () => {
    const message = { text: '{{monitor.name}}\nis at {{fields.price.after}}' }
    const [embed] = discordMessage(FIRST, LINKS, null, { digest: digestOf([FIRST, payloadFor('Mug')], message) }).embeds
    expect(embed.description).toContain('• Kettle is at $17.49 ')
    expect(embed.description).toContain('• Mug is at $17.49 ')
    const empty = { text: '{{monitor.labels.no}}' }
    const other = discordMessage(FIRST, LINKS, null, { digest: digestOf([FIRST, payloadFor('Mug')], empty) })
    expect(other.embeds[0].description).toContain('• Mug: price')
  })

  test('has in a line what each field of a change was and is', () => {
    const payload = { ...payloadOf({ price: ['$19.99', '$17.49'], sizes: [['S'], ['S', 'M']] }), numeric_fields: [] }
    const { blocks } = slackMessage(FIRST, LINKS, null, { digest: digestOf([payload, FIRST]) })
    expect(JSON.stringify(blocks)).toContain('• Kettle: price $19.99 → $17.49 (−12.5 %), sizes')
  })

  test('has the title of the user where all agree', () => {
    const titled = (title: string) =>
      slackMessage(FIRST, LINKS, null, { digest: digestOf([FIRST, payloadFor('Mug')], { title }) }).text
    expect(titled('Prices')).toBe('Prices')
    expect(titled('{{monitor.name}}')).toBe('2 changes in 2 monitors')
  })

  test('of one monitor has its name and counts its changes', () => {
    const digest = digestOf([FIRST, FIRST], undefined, { count: 1_200, monitors: 1 })
    expect(slackMessage(FIRST, LINKS, null, { digest }).text).toBe('Kettle: 1,200 changes')
  })

  test('counts what cannot be read, and names the others', () => {
    const later = { payload: JSON.stringify({ version: 99 }) }
    const known = { payload: JSON.stringify(FIRST) }
    const shown = ({ story }: DigestMessage) => [story.headline, ...writeChanges(story, UNMARKED, 1_000).split('\n')]
    const some = digestMessage({ parts: [later, known], count: 2, monitors: 1 }, LINKS)
    expect(shown(some)).toEqual([
      'Kettle: 2 changes',
      `• Kettle: price $19.99 → $17.49 (−12.5 %) ${RUN_URL}`,
      '… and 1 more change https://watch.example.com',
    ])
    const none = digestMessage({ parts: [later, later], count: 2, monitors: 2 }, LINKS)
    expect(shown(none)).toEqual(['2 changes in 2 monitors', '… and 2 more changes https://watch.example.com'])
  })

  test.each([...COLLECTING, 'slack', 'discord', 'email'] as const)(
    'to %s names as many as fit, and counts the others',
    (to) => {
      const parts = Array.from({ length: 50 }, (_, at) => payloadFor(`Monitor ${at} ${'ü'.repeat(60)}`))
      const digest = digestOf(parts, undefined, { count: 73, monitors: 73 })
      const text = shownBy(to, digest)
      const [, left] = /… and (\d+) more changes/.exec(text) ?? []
      const named = new Set(text.match(/Monitor \d+/g) ?? []).size
      expect(named).toBeGreaterThan(3)
      expect(named + Number(left)).toBe(73)
    },
  )

  function shownBy(to: ServiceName | 'slack' | 'discord' | 'email', digest: DigestMessage): string {
    if (to === 'email') return emailMessage(FIRST, LINKS, false, { digest }).text
    if (to !== 'slack' && to !== 'discord') return shownIn(to, requestOf(to, digest).body)
    const write = to === 'slack' ? slackMessage : discordMessage
    return textsOf(write(FIRST, LINKS, null, { digest })).join('\n')
  }
})

describe('For any value of a page in it', () => {
  const digestWith = (text: string) => digestOf([payloadFor(text, text), payloadFor('Mug', text)])

  test.each(['telegram', 'matrix', 'google_chat'] as const)('%s has no other element and no other link', (service) => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const written = textsOf(JSON.parse(requestOf(service, digestWith(text)).body))
        const html = written.findLast((one) => one.includes(RUN_URL)) ?? '<missing>'
        for (const name of elementsOf(html))
          expect(name).toMatch(/^(b|strong|br|a https:\/\/(watch\.)?example\.com\/\S*)$/)
      }),
    )
  })

  test.each(['ntfy', 'gotify', 'pushover', 'apprise', 'pagerduty', 'teams'] as const)(
    '%s gets no mention and no address of it',
    (service) => {
      fc.assert(
        fc.property(anyValue, (text) => {
          const written = shownIn(service, requestOf(service, digestWith(text)).body)
          const lines = written.split('\n').filter((line) => line.startsWith('• '))
          expect(lines.length).toBeGreaterThan(0)
          if (service === 'teams') return
          for (const line of lines)
            expect(line.replaceAll(RUN_URL, '')).not.toMatch(/@\S(?<!@\u200b)|:\/\/|(?<=\S)\.(?=[\p{L}\p{M}]{2})/u)
        }),
      )
    },
  )

  test.each(['mattermost', 'rocket_chat'] as const)('%s has it in code, which it cannot end', (service) => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const raw = shownIn(service, requestOf(service, digestWith(text)).body).replaceAll('\u200b', '')
        const outside = raw.replace(/`[^`\n]+`/g, '').replace(/\]\(https:\/\/(watch\.)?example\.com\/?[^)]*\)/g, '')
        expect(outside).not.toMatch(/[`@<>\]]|https?:/)
      }),
    )
  })

  test('mail has no other element and no other link', () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const { html } = emailMessage(FIRST, LINKS, false, { digest: digestWith(text) })
        const links = elementsOf(html).filter((name) => /^(a|img|script|style|iframe)\b/.test(name))
        for (const name of links) expect(name).toMatch(/^(a .*https:\/\/(watch\.)?example\.com|style)/)
      }),
    )
  })

  test('Discord gets no link and no mention of it', () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const message = discordMessage(FIRST, LINKS, null, { digest: digestWith(text) })
        expect(message).toMatchObject({ allowed_mentions: { parse: [] } })
        const written = message.embeds[0].description.replaceAll(RUN_URL, '')
        expect(written.replaceAll(/\\[^]/g, '').replaceAll('[See the run]()', '')).not.toMatch(/\]\(|https?:\/\//)
      }),
    )
  })

  test('Slack gets no link and no mention of it', () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const { blocks } = slackMessage(FIRST, LINKS, null, { digest: digestWith(text) })
        const written = JSON.stringify(blocks.slice(1, -1)).replaceAll(`<${RUN_URL}|See the run>`, '')
        expect(written).not.toMatch(/[<>]/)
      }),
    )
  })
})

test('A line in words of the user has one link to the run, where their text has its address too', () => {
  const digest = digestOf([FIRST, payloadFor('Mug')], { text: '{{monitor.name}} moved {{run.url}}' })
  for (const service of ['ntfy', 'telegram'] as const) {
    const text = shownIn(service, requestOf(service, digest).body)
    expect(text.replaceAll('\u200b', '')).toContain('Kettle moved')
    expect(text.replaceAll('\u200b', '').split(RUN_URL)).toHaveLength(3)
  }
})
