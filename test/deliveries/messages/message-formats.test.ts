import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listChanges } from '../../../core/payload.ts'
import { discordMessage } from '../../../deliveries/messages/discord-message.ts'
import { emailMessage } from '../../../deliveries/messages/email-message.ts'
import { slackMessage } from '../../../deliveries/messages/slack-message.ts'
import { LINKS, payloadOf, RUN_URL } from '../../support/mail/mailbox.ts'

const KETTLE = payloadOf({ price: ['$19.99', '$17.49'], in_stock: [null, true] })
const HOSTILE = '<!channel> <@U1> @everyone @here <script>alert(1)</script> *b* `c` [x](https://evil.test) & "q" \'s\''
const LONG = 'x'.repeat(100_000)

test('a message without a dashboard has no link to the run, and still one to the page', () => {
  const nowhere = { dashboardUrl: null }
  const mail = emailMessage(KETTLE, nowhere)
  const written = [slackMessage(KETTLE, nowhere), discordMessage(KETTLE, nowhere), mail.text, mail.html]
  for (const text of written.map((message) => JSON.stringify(message))) {
    expect(text).not.toMatch(/\/runs\/|the run|null/i)
    expect(text).toContain('https://example.com/kettle')
  }
})

describe('a Slack message', () => {
  test('is a header, a table of what changed, and a line with links', () => {
    expect(slackMessage(KETTLE, LINKS)).toEqual({
      text: 'Kettle: price and in_stock changed',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'Kettle', emoji: false } },
        {
          type: 'section',
          fields: [
            { type: 'mrkdwn', text: '*price*', verbatim: true },
            { type: 'plain_text', text: '$19.99 → $17.49 (−12.5 %)', emoji: false },
            { type: 'mrkdwn', text: '*in_stock*', verbatim: true },
            { type: 'plain_text', text: 'nothing → true', emoji: false },
          ],
        },
        {
          type: 'context',
          elements: [
            {
              type: 'mrkdwn',
              text:
                `<${RUN_URL}|See the run>  ·  <https://example.com/kettle|example.com/kettle>  ·  1 May 2026 at ` +
                `12:00 UTC`,
              verbatim: true,
            },
          ],
        },
      ],
      unfurl_links: false,
      unfurl_media: false,
    })
  })

  test('shows long values side by side', () => {
    const { blocks } = slackMessage(payloadOf({ text: ['a'.repeat(80), 'b'.repeat(80)] }), LINKS)
    expect(blocks[1]).toEqual({
      type: 'section',
      text: { type: 'mrkdwn', text: '*text*', verbatim: true },
      fields: [
        { type: 'plain_text', text: `Before:\n${'a'.repeat(80)}`, emoji: false },
        { type: 'plain_text', text: `Now:\n${'b'.repeat(80)}`, emoji: false },
      ],
    })
  })

  test('holds no command of Slack, whatever the names and values say', () => {
    const message = slackMessage(payloadOf({ [HOSTILE]: [HOSTILE, '<!here>'] }, { name: HOSTILE }), LINKS)
    const { context, others } = Object.groupBy(message.blocks, ({ type }) =>
      type === 'context' ? 'context' : 'others',
    )
    expect(JSON.stringify([message.text, others])).not.toMatch(/[<>]/)
    expect(JSON.stringify(message)).toContain('&lt;!channel&gt; &lt;@U1&gt;')
    expect(JSON.stringify(context).match(/<[^>]*>/g)).toEqual([
      `<${RUN_URL}|See the run>`,
      '<https://example.com/kettle|example.com/kettle>',
    ])
  })

  test('keeps an address with its own bars and brackets within its link', () => {
    const { blocks } = slackMessage(payloadOf({}, { url: 'https://example.com/?a=1|<!channel>&b=2' }), LINKS)
    expect(JSON.stringify(blocks.at(-1))).toContain(
      '<https://example.com/?a=1%7C%3C!channel%3E&amp;b=2|example.com/?a=1¦%3C!channel%3E&amp;b=2>',
    )
  })

  test('makes a label bold only where nothing in it ends the bold', () => {
    const labels = (field: string) => JSON.stringify(slackMessage(payloadOf({ [field]: [1, 2] }), LINKS).blocks[1])
    expect(labels('in_stock')).toContain('"*in_stock*"')
    expect(labels('a*b')).toContain('{"type":"plain_text","text":"a*b"')
    expect(labels('_x_')).toContain('{"type":"plain_text","text":"_x_"')
  })
})

describe('a Discord message', () => {
  test('is one embed with a field for each change, and pings nobody', () => {
    expect(discordMessage(KETTLE, LINKS)).toEqual({
      embeds: [
        {
          title: 'Kettle',
          description: `[See the run](${RUN_URL})  ·  [example.com/kettle](https://example.com/kettle)`,
          color: 0x0f766e,
          fields: [
            { name: 'price', value: '$19.99 → $17.49 (−12.5 %)', inline: false },
            { name: 'in\\_stock', value: 'nothing → true', inline: false },
          ],
          footer: { text: 'Tidemark' },
          timestamp: '2026-05-01T12:00:00.000Z',
        },
      ],
      allowed_mentions: { parse: [] },
    })
  })

  test('escapes markup, mentions and links with another text', () => {
    const [embed] = discordMessage(payloadOf({ note: ['# big', HOSTILE] }, { name: HOSTILE }), LINKS).embeds
    expect(embed.title).toMatch(/^\\<!channel\\> \\<@U1\\> @\u200beveryone @\u200bhere \\<script\\>/)
    expect(embed.fields[0]?.value).toContain('\\*b\\* \\`c\\` \\[x\\](https://evil.test)')
    const [short] = discordMessage(
      payloadOf({ a: ['# big', '1. x'], b: ['- x', '*y*'], c: ['1. x', 'z'] }),
      LINKS,
    ).embeds
    expect(short.fields.map(({ value }) => value)).toEqual(['\\# big → 1. x', '\\- x → \\*y\\*', '1\\. x → z'])
  })

  test('keeps the brackets of an address within its link', () => {
    const [embed] = discordMessage(payloadOf({}, { url: 'https://example.com/a_(b)' }), LINKS).embeds
    expect(embed.description).toContain('[example.com/a\\_(b)](https://example.com/a_%28b%29)')
  })
})

describe('a mail', () => {
  test('has a subject and a text that say it all', () => {
    const { subject, text } = emailMessage(KETTLE, LINKS)
    expect(subject).toBe('Kettle: price and in_stock changed')
    expect(text).toBe(`Kettle

price
  $19.99 → $17.49 (−12.5 %)

in_stock
  nothing → true

The run:  ${RUN_URL}
The page: https://example.com/kettle

-- 
Seen by Tidemark on 1 May 2026 at 12:00 UTC. This address is a destination of the monitor.
`)
  })

  test('has the same in HTML, with a link to the run, and loads nothing', () => {
    const { html } = emailMessage(KETTLE, LINKS)
    expect(html).toContain('>$19.99</span> → <strong>$17.49</strong> <span style="color:#6b7280">(−12.5 %)</span>')
    expect(html).toContain(`<a href="${RUN_URL}"`)
    expect(html).toContain('<a href="https://example.com/kettle"')
    expect(html).not.toMatch(/<(?:img|script|link|style|iframe)|url\(|src=/i)
  })

  test('holds no element, attribute or link that a page or a name has written', () => {
    const payload = payloadOf(
      { [HOSTILE]: [HOSTILE, LONG], b: ['"><img src=x onerror=alert(1)>', 'x'] },
      { name: HOSTILE, url: 'javascript:alert(1)//"><b>' },
    )
    const { html } = emailMessage(payload, LINKS)
    const plain = emailMessage(
      payloadOf({ a: ['x'.repeat(99), 'y'], b: ['x', 'y'] }, { url: 'javascript:x' }),
      LINKS,
    ).html
    const tags = (text: string) => text.match(/<\/?[a-z!][^\s>]*/gi)?.toSorted()
    expect(tags(html)).toEqual(tags(plain))
    expect(html).not.toMatch(/href="javascript/i)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  test('has a subject of one line, whatever the monitor is called', () => {
    expect(emailMessage(payloadOf({ a: [1, 2] }, { name: 'Kettle\r\nBcc: c@z.test' }), LINKS).subject).toBe(
      'Kettle Bcc: c@z.test: a 1 → 2',
    )
    expect(emailMessage(payloadOf({ a: [1, 2] }, { name: '\u202eغلاية 🫖' }), LINKS).subject).toBe(
      '\u2068غلاية 🫖\u2069: a 1 → 2',
    )
  })
})

describe('every message', () => {
  const many = (count: number, value: string) =>
    payloadOf(
      Object.fromEntries(
        Array.from({ length: count }, (_, n) => [`${'&'.repeat(90)}${n}`, [`a${value}`, `b${value}`]]),
      ),
      {
        name: '&'.repeat(200),
        url: `https://example.com/?${'&'.repeat(2_000)}`,
        visual: { change_pct: 4, threshold_pct: 1 },
      },
    )
  const texts = fc.string({ unit: fc.constantFrom('a', '&', '<', '*', '@', '👍', 'ع', ' ', '\n'), maxLength: 3_000 })
  const payloads = fc.oneof(
    fc.constantFrom(
      many(1, LONG),
      many(3, '&'.repeat(5_000)),
      many(200, '<'.repeat(35)),
      many(200, '*'.repeat(100)),
      many(25, '&&'),
      payloadOf({}),
    ),
    fc
      .tuple(fc.dictionary(fc.string({ minLength: 1, maxLength: 100 }), fc.tuple(texts, texts), { maxKeys: 30 }), texts)
      .map(([changes, name]) => payloadOf(changes, { name })),
  )

  test('stays within the limits of Slack', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const { text, blocks } = slackMessage(payload, LINKS)
        expect(text.length).toBeLessThanOrEqual(3_000)
        expect(blocks.length).toBeLessThanOrEqual(50)
        for (const block of blocks) {
          if (block.type === 'header') expect(block.text.text.length).toBeLessThanOrEqual(150)
          const parts = block.type === 'context' ? block.elements : block.type === 'section' ? (block.fields ?? []) : []
          expect(parts.length).toBeLessThanOrEqual(10)
          for (const part of parts) {
            expect(part.text.length).toBeGreaterThan(0)
            expect(part.text.length).toBeLessThanOrEqual(block.type === 'context' ? 3_000 : 2_000)
          }
          if (block.type === 'section' && block.text) expect(block.text.text.length).toBeLessThanOrEqual(3_000)
        }
      }),
      { numRuns: 60 },
    )
  })

  test('stays within the limits of Discord', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const [{ title, description, fields, footer }] = discordMessage(payload, LINKS).embeds
        expect(title.length).toBeLessThanOrEqual(256)
        expect(description.length).toBeLessThanOrEqual(4_096)
        expect(fields.length).toBeLessThanOrEqual(25)
        for (const { name, value } of fields) {
          expect(Math.min(name.length, value.length)).toBeGreaterThan(0)
          expect(name.length).toBeLessThanOrEqual(256)
          expect(value.length).toBeLessThanOrEqual(1_024)
        }
        const all = [title, description, footer.text, ...fields.flatMap(({ name, value }) => [name, value])]
        expect(all.join('').length).toBeLessThanOrEqual(6_000)
      }),
      { numRuns: 60 },
    )
  })

  test('shows the first of many changes and says how many there are beside them', () => {
    const payload = many(32, 'x')
    expect(JSON.stringify(slackMessage(payload, LINKS))).toContain('"and 12 more changed fields"')
    expect(discordMessage(payload, LINKS).embeds[0]).toMatchObject({
      footer: { text: '… and 22 more changed fields  ·  Tidemark' },
    })
    expect(emailMessage(many(51, 'x'), LINKS).text).toContain('\n… and 1 more changed field.\n')
  })

  test('is written within a moment from values of 100 KB', () => {
    const payload = many(200, LONG)
    const before = process.threadCpuUsage().user
    for (const write of [slackMessage, discordMessage, emailMessage])
      expect(JSON.stringify(write(payload, LINKS)).length).toBeLessThan(200_000)
    expect(emailMessage(payload, LINKS).html.length).toBeLessThan(100_000)
    expect(process.threadCpuUsage().user - before).toBeLessThan(5_000_000)
  })
})

describe('a list in a message', () => {
  const NEWS = payloadOf(
    {
      headlines: [
        ['Weather', 'Fire', 'Harbour'],
        ['Storm', 'Ferry <b>', 'Harbour', 'Fire'],
      ],
    },
    { name: 'News' },
  )
  const LINES = ['headlines (2 added, 1 removed, 1 moved)', '+ Storm', '+ Ferry <b>', '− Weather', 'moved: Harbour']

  test('Slack has its items in one block of plain text', () => {
    const { text, blocks } = slackMessage(NEWS, LINKS)
    expect(text).toBe('News: headlines: 2 added, 1 removed, 1 moved')
    const block = { type: 'plain_text', text: LINES.join('\n').replace('<b>', '&lt;b&gt;'), emoji: false }
    expect(blocks[1]).toEqual({ type: 'section', text: block })
  })

  test('Discord has them in one field, without markup of theirs', () => {
    expect(discordMessage(NEWS, LINKS).embeds[0].fields).toEqual([
      {
        name: 'headlines',
        value: '**2 added, 1 removed, 1 moved**\n\\+ Storm\n\\+ Ferry \\<b\\>\n− Weather\nmoved: Harbour',
        inline: false,
      },
    ])
  })

  test('a mail has them in both parts, and the headline as its subject', () => {
    const { subject, text, html } = emailMessage(NEWS, LINKS)
    expect(subject).toBe('News: headlines: 2 added, 1 removed, 1 moved')
    expect(text).toContain(LINES.join('\n  '))
    for (const line of LINES.slice(1)) expect(html).toContain(line.replace('<b>', '&lt;b&gt;'))
    expect(html).not.toContain('<b>')
  })

  test('the only item that changed is in the headline', () => {
    const one = payloadOf({ headlines: [['Fire'], ['Storm', 'Fire']] }, { name: 'News' })
    expect(emailMessage(one, LINKS).subject).toBe('News: headlines: + Storm')
  })

  test('a list that changed behind its cut says so', () => {
    const cut = (digit: string) => ['a', `…[truncated sha256:${digit.repeat(32)}]`]
    const { subject } = emailMessage(payloadOf({ all: [cut('1'), cut('2')] }), LINKS)
    expect(subject).toBe('Kettle: all: changed behind the items that are kept')
  })

  test.each([
    ['an empty list', []],
    ['no list', null],
  ])('a feed that was %s for a moment names the items that are new since then', (_what, before) => {
    const of = (after: readonly string[]) => {
      const payload = payloadOf({ feed: [before, after] })
      const lists = listChanges(payload.diff, { feed: ['Fire', 'Frost'] }) ?? {}
      return emailMessage({ ...payload, lists }, LINKS).subject
    }
    expect(of(['Storm', 'Fire', 'Frost'])).toBe('Kettle: feed: + Storm')
    expect(of(['Fire', 'Frost'])).toBe('Kettle: feed: the items of before are back')
  })

  test('a thousand long items fit into every format, with the number of further ones', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `${at} ${'&*x'.repeat(100)}`)
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`list ${at}`, [[], many]] as const))
    const payload = payloadOf(fields)
    const slack = slackMessage(payload, LINKS)
    expect(slack.blocks.length).toBeLessThanOrEqual(50)
    for (const block of slack.blocks)
      if (block.type === 'section') expect(block.text?.text.length ?? 0).toBeLessThanOrEqual(3_000)
    expect(JSON.stringify(slack)).toMatch(/… and 99\d more/)
    const [embed] = discordMessage(payload, LINKS).embeds
    for (const { value } of embed.fields) expect(value.length).toBeLessThanOrEqual(1_024)
    expect(JSON.stringify(embed).length).toBeLessThan(6_000)
    const mail = emailMessage(payload, LINKS)
    expect(Buffer.byteLength(mail.html)).toBeLessThan(150_000)
    expect(mail.text).toMatch(/… and 9\d\d more/)
  })
})

describe('a message about a whole page', () => {
  const hashes = { content_hash: ['a'.repeat(64), 'b'.repeat(64)] } as const
  const about = (excerpt: string, added = 1, removed = 1) =>
    payloadOf(hashes, { text: { lines_added: added, lines_removed: removed, excerpt } })
  const TERMS = about('- Free for 30 days\n+ Free for 14 days')

  test('shows the lines that were removed and added', () => {
    expect(slackMessage(TERMS, LINKS)).toMatchObject({
      text: 'Kettle: 1 line added, 1 removed',
      blocks: [
        {},
        { text: { text: '1 line added, 1 removed.' } },
        { type: 'section', text: { type: 'plain_text', text: '− Free for 30 days\n+ Free for 14 days' } },
        {},
      ],
    })
    const value = '```diff\n- Free for 30 days\n+ Free for 14 days\n```'
    expect(discordMessage(TERMS, LINKS).embeds[0].fields).toEqual([{ name: 'Text', value, inline: false }])
    const { subject, text, html } = emailMessage(TERMS, LINKS)
    expect(subject).toBe('Kettle: 1 line added, 1 removed')
    expect(text).toContain('\n\n  - Free for 30 days\n  + Free for 14 days\n\n')
    expect(html).toMatch(/− Free for 30 days<.*\+ Free for 14 days</s)
  })

  test.each([
    [3, 0, '3 lines added.'],
    [0, 1, '1 line removed.'],
    [0, 0, 'The content of the page changed, but not the text that a person reads.'],
  ])('says that %i lines came and %i went', (added, removed, note) => {
    expect(emailMessage(about('', added, removed), LINKS).text).toContain(`\n\n${note}\n\n`)
  })

  test('says how many lines it does not show', () => {
    expect(emailMessage(about('- a\n+ b', 20, 10), LINKS).text).toContain('  - a\n  + b\n  … and 28 more\n')
  })

  test('cannot be left by the text of a page, and stays within the limits of the services', () => {
    const worst = about(Array.from({ length: 12 }, () => `- ${'<&`@everyone*'.repeat(12)}`).join('\n'), 0, 12)
    const { fields } = discordMessage(worst, LINKS).embeds[0]
    expect(fields[0]?.value.length).toBeLessThanOrEqual(1024)
    expect(fields[0]?.value.replace(/^```diff|```$/g, '')).not.toContain('`')
    expect(fields[0]?.value.endsWith('\n```')).toBe(true)
    const [, , excerpt] = slackMessage(worst, LINKS).blocks
    const text = excerpt !== undefined && 'text' in excerpt ? (excerpt.text?.text ?? '') : ''
    expect(text.length).toBeLessThanOrEqual(3000)
    expect(text).not.toMatch(/<|&(?!amp;|lt;|gt;)/)
    expect(emailMessage(worst, LINKS).html).not.toContain('<&')
  })
})
