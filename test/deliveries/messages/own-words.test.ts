import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namedTexts } from '../../../core/message/render-message.ts'
import { discordMessage } from '../../../deliveries/messages/discord-message.ts'
import { emailMessage } from '../../../deliveries/messages/email-message.ts'
import { slackMessage } from '../../../deliveries/messages/slack-message.ts'
import { wordedStory, valuesOf } from '../../../deliveries/messages/worded-story.ts'
import { SERVICES } from '../../../deliveries/services/services.ts'
import { bodyTemplate } from '../../../schema/message/message-template.ts'
import type { MessageConfig } from '../../../schema/message/message.ts'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from '../../../schema/monitor/delivery-services.ts'
import { LINKS, payloadOf, RUN_URL } from '../../support/mail/mailbox.ts'
import { ID, noticeOf, OPTIONS } from '../services/sending.ts'

const MESSAGE = {
  title: '{{monitor.name}} now costs {{fields.price.after}}',
  text:
    '*Hi <@U1>*: {{fields.price.before}} → {{fields.price.after}} ({{fields.price.change}})\n' +
    '{{run.url}} {{monitor.labels.env}}',
}
const wordingOf = (message: MessageConfig) => ({ message, named: { labels: { env: 'prod' } } })
const WORDING = wordingOf(MESSAGE)
const KETTLE = { ...payloadOf({ price: ['$19.99', '$17.49'] }), numeric_fields: ['price'] }
const MOVED = '*Hi <@U1>*: $19.99 → $17.49 (−12.5 %)\n'

/** The request of a service, for a change with a message. */
function requestOf(service: ServiceName, message: MessageConfig, payload: typeof KETTLE = KETTLE) {
  const story = wordedStory(payload, LINKS, wordingOf(message))
  const { limit } = SERVICE_TABLE[service]
  const about = { id: ID, url: 'https://a.example/', notice: null, body: null, method: 'POST' } as const
  return SERVICES[service].request({ ...about, options: OPTIONS[service], story, payload, limit, text: '' })
}

describe('A message in words of a user', () => {
  test('stands in Slack as it is written, with values that are escaped', () => {
    const { text, blocks } = slackMessage(KETTLE, LINKS, null, WORDING)
    expect(text).toBe('Kettle now costs $17.49')
    expect(blocks.slice(0, 2)).toEqual([
      { type: 'header', text: { type: 'plain_text', text: 'Kettle now costs $17.49', emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: `${MOVED}<${RUN_URL}> prod`, verbatim: true } },
    ])
    expect(blocks).toHaveLength(3)
    const hostile = slackMessage(
      payloadOf({ price: ['1', '<!channel> & <https://evil.test|x>'] }),
      LINKS,
      null,
      WORDING,
    )
    expect(JSON.stringify(hostile)).toContain('&lt;!channel&gt; &amp; &lt;https://evil.test|x&gt;')
    expect(JSON.stringify(hostile)).not.toMatch(/<!channel>|<https:\/\/evil/)
  })

  test('stands in Discord in the same way, without the fields', () => {
    const [embed] = discordMessage(KETTLE, LINKS, null, WORDING).embeds
    expect(embed).toMatchObject({
      title: 'Kettle now costs $17.49',
      description: `${MOVED}${RUN_URL} prod`,
      fields: [],
    })
    const [hostile] = discordMessage(
      payloadOf({ price: ['1', '[x](https://a.test) @here'] }),
      LINKS,
      null,
      WORDING,
    ).embeds
    expect(hostile.description).toContain('\\[x\\](https:\u200b//a.\u200btest) @')
  })

  test('is the subject and the text of a mail, in which nothing of it is markup', () => {
    const mail = emailMessage(
      KETTLE,
      LINKS,
      false,
      wordingOf({ ...MESSAGE, text: '<b>{{fields.price.after}}</b>\n{{run.url}}' }),
    )
    expect(mail.subject).toBe('Kettle now costs $17.49')
    expect(mail.text).toContain(`\n<b>$17.49</b>\n${RUN_URL}\n`)
    expect(mail.html).toContain(`&lt;b&gt;$17.49&lt;/b&gt;<br><a href="${RUN_URL}">${RUN_URL}</a>`)
    expect(mail.html).not.toContain('before')
  })

  test('is written in the form of each service', () => {
    const body = (service: ServiceName, message: MessageConfig) => requestOf(service, message).body
    const told = { title: 'Costs {{fields.price.after}}', text: '<i>now</i> {{fields.price.after}}\n{{run.url}}' }
    expect(JSON.parse(body('telegram', told))).toMatchObject({
      text: `<b>Costs $17.49</b>\n<i>now</i> <code>$17.49</code>\n${RUN_URL}`,
    })
    expect(JSON.parse(body('matrix', told))).toMatchObject({
      formatted_body: `<strong>Costs $17.49</strong><br><i>now</i> <code>$17.49</code><br>${RUN_URL}`,
    })
    expect(JSON.parse(body('mattermost', told))).toMatchObject({
      text: `\`Costs $17.49\`\n<i>now</i> \u200b\`$17.49\`\u200b\n${RUN_URL}`,
    })
    expect(JSON.parse(body('ntfy', told))).toMatchObject({
      title: 'Costs $17.49',
      message: `<i>now</i> $17.49\n${RUN_URL}`,
    })
    expect(JSON.parse(body('apprise', told))).toMatchObject({
      title: 'Costs $17.49',
      body: `<i>now</i> $17.49\n${RUN_URL}`,
    })
    expect(JSON.parse(body('pagerduty', told))).toMatchObject({
      payload: { summary: 'Costs $17.49', custom_details: { message: `<i>now</i> $17.49\n${RUN_URL}` } },
    })
    expect(body('custom', told)).toBe(`Costs $17.49\n<i>now</i> $17.49\n${RUN_URL}`)
    expect(body('teams', told)).toContain(JSON.stringify(`<i>now</i> $17.49\n${RUN_URL}`))
  })

  test('may be a title alone, or a text alone', () => {
    const title = slackMessage(KETTLE, LINKS, null, wordingOf({ title: 'Now {{fields.price.after}}' }))
    expect(title.text).toBe('Now $17.49')
    expect(JSON.stringify(title)).toContain('−12.5 %')
    const text = slackMessage(KETTLE, LINKS, null, wordingOf({ text: 'only this' }))
    expect(text).toMatchObject({
      text: expect.stringContaining('price') as string,
      blocks: [{ text: { text: 'Kettle' } }, { text: { text: 'only this' } }, {}],
    })
  })

  test('has the changes as every message tells them', () => {
    const { body } = requestOf('telegram', { text: 'Look:\n{{changes}}' })
    expect(JSON.parse(body)).toMatchObject({
      text: '<b>Kettle</b>\nLook:\n<b>price</b>: <code>$19.99</code> → <code>$17.49</code> (−12.5 %)',
    })
  })

  test('is not that of a notice, which has its own', () => {
    const notice = noticeOf('failing') as never
    expect(slackMessage(notice, LINKS, null, WORDING)).toEqual(slackMessage(notice, LINKS))
  })

  test('says that it is a test where it is one', () => {
    const tested = { ...KETTLE, test: true } as const
    expect(slackMessage(tested, LINKS, null, WORDING).text).toBe('Test: Kettle now costs $17.49')
    expect(slackMessage(tested, LINKS, null, wordingOf({ text: 'a' })).text).toMatch(/^Test: Kettle/)
  })

  test.each(SERVICE_NAMES.filter((name) => name !== 'cloudevents'))('fits into the limit of %s', (service) => {
    const huge = payloadOf(
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, ['é'.repeat(9_000), 'ü'.repeat(9_000)]])),
    )
    const all = Array.from({ length: 40 }, (_, at) => `{{fields.f${at}.before}} {{fields.f${at}.after}}`).join('\n')
    for (const text of [all, `${'é'.repeat(3_900)} {{changes}}`]) {
      const { body } = requestOf(service, { text }, huge as never)
      const { most, unit } = SERVICE_TABLE[service].limit
      const texts =
        service === 'pushover'
          ? [new URLSearchParams(body).get('message') ?? '']
          : service === 'custom'
            ? [body]
            : textsOf(JSON.parse(body))
      // Telegram counts what is shown.
      const shown = service === 'telegram' ? texts.map((one) => one.replace(/<[^>]*>/g, '')) : texts
      for (const one of shown) expect(unit === 'bytes' ? Buffer.byteLength(one) : one.length).toBeLessThanOrEqual(most)
      expect(texts.join('')).toMatch(/ü|é/)
    }
  })
})

function textsOf(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  return part !== null && typeof part === 'object' ? Object.values(part).flatMap(textsOf) : []
}

describe('The body of the service custom', () => {
  const values = (payload: typeof KETTLE) =>
    valuesOf(payload, wordedStory(payload, LINKS), { named: { labels: { env: 'prod' } } })
  const requestWith = (body: string, payload: typeof KETTLE = KETTLE, method: 'POST' | 'PUT' = 'POST') => {
    const story = wordedStory(payload, LINKS)
    const about = {
      id: ID,
      url: 'https://a.example/',
      notice: null,
      options: {},
      limit: SERVICE_TABLE.custom.limit,
      text: '',
    }
    return SERVICES.custom.request({
      ...about,
      story,
      payload,
      method,
      body: { template: bodyTemplate(body), named: namedTexts(values(payload)) },
    })
  }

  test('is JSON with values in its strings, and a value with its type where a string is one name', () => {
    const body =
      '{"price": "{{fields.price.after}}", "say": "{{monitor.name}} in {{monitor.labels.env}}", ' +
      '"list": "{{lists.x.added}}"}'
    const { headers, body: sent, method } = requestWith(body, payloadOf({ price: [1, 2] }) as never, 'PUT')
    expect(JSON.parse(sent)).toEqual({ price: 2, say: 'Kettle in prod', list: null })
    expect({ method, ...headers }).toEqual({ method: 'PUT', 'Content-Type': 'application/json' })
  })

  test('is text where it is no JSON', () => {
    const { headers, body } = requestWith('price={{fields.price.after}}')
    expect([body, headers['Content-Type']]).toEqual(['price=$17.49', 'text/plain; charset=utf-8'])
  })

  test('parses for any value, and differs in that string alone', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('", "admin": true, "x": "', '{{run.url}}', '\\')),
        (value) => {
          const { body } = requestWith(
            '{"a": "x {{fields.price.after}} y", "b": 1}',
            payloadOf({ price: ['1', value] }) as never,
          )
          const read = JSON.parse(body) as { a: string; b: number }
          expect(Object.keys(read)).toEqual(['a', 'b'])
          expect(read.a).toMatch(/^x [^]* y$/)
        },
      ),
    )
  })
})

describe('A value beside words of a user', () => {
  const slackText = (text: string, value: string, links: { dashboardUrl: string | null } = LINKS) =>
    (
      slackMessage(payloadOf({ price: ['1', value] }), links, null, wordingOf({ text })).blocks[1] as {
        text: { text: string }
      }
    ).text.text

  test('cannot become a mention or a link of Slack, whose syntax begins with theirs', () => {
    expect(slackText('<{{fields.price.after}}|open>', '!channel')).toBe('<\u200b!channel|open>')
    expect(slackText('<{{fields.price.after}}>', '@U1')).toBe('<\u200b@U1>')
  })

  test.each([
    ['<!{{fields.price.after}}>', 'channel', '<!\u200bchannel>'],
    ['<@{{fields.price.after}}>', 'U1', '<@\u200bU1>'],
    ['<{{fields.price.after}}|open>', 'https://evil.test', '<\u200bhttps://evil.test|open>'],
    ['<https://{{fields.price.after}}/a|open>', 'evil.test', '<https://\u200bevil.test/a|open>'],
    ['<https://a.test/{{fields.price.after}}|go>', 'b|label', '<https://a.test/b%7Clabel|go>'],
    ['<https://a.test/?q={{fields.price.after}}>', 'x&y=z>', '<https://a.test/?q=x%26y%3Dz%3E>'],
    ['<https://a.test/|now {{fields.price.after}}>', 'a & b', '<https://a.test/|now a &amp; b>'],
    ['<https://a.test/> {{fields.price.after}}', '!x', '<https://a.test/> !x'],
  ])('within %s of Slack says neither whom nor where: %s', (text, value, written) => {
    expect(slackText(text, value)).toBe(written)
  })

  test('is no address where the run has none, and stands in a link of Slack as it is', () => {
    expect(slackText('<{{run.url}}|See it>', '2')).toBe(`<${RUN_URL}|See it>`)
    expect(slackText('[{{run.url}}]', '2', { dashboardUrl: null })).toBe('[]')
  })

  test('does not stand in code of Rocket.Chat where a backtick of the user might end it, and has no markup', () => {
    const text = '` {{fields.price.after}}'
    const payload = payloadOf({ price: ['1', '*b* [a](https://evil.test) `c` @all'] })
    const { body } = requestOf('rocket_chat', { title: 'a', text }, { ...payload, numeric_fields: [] })
    const written = (JSON.parse(body) as { text: string }).text.split('\n').at(-1) ?? ''
    expect(written.split('`')).toHaveLength(2)
    expect(written).not.toMatch(/\]\(|:\/\/|@a|\*b/)
    expect(written.replaceAll('\u200b', '')).toBe('` *b* [a](https://evil.test) \u02cbc\u02cb @all')
  })

  test('is code of Mattermost that no backtick of theirs ends', () => {
    const text = '`a: {{fields.price.after}}` it`s ``b`` {{fields.price.after}}'
    const { body } = requestOf('mattermost', { title: 'a', text })
    expect((JSON.parse(body) as { text: string }).text.split('\n').at(-1)).toBe(
      '`a: \u200b```$17.49```\u200b` it`s ``b`` \u200b```$17.49```\u200b',
    )
  })

  test('together with another value is no mention and no address', () => {
    const payload = payloadOf({ a: ['1', 'hi @'], b: ['1', 'everyone'], c: ['1', 'evil.'], d: ['1', 'com'] }) as never
    const text = '{{fields.a.after}}{{fields.b.after}} {{changes}}{{fields.d.after}}'
    for (const service of ['ntfy', 'apprise', 'custom'] as const)
      expect(requestOf(service, { text }, payload).body).not.toMatch(/@everyone|evil\.com/)
  })

  test('that is long keeps its lines where a text is cut to fit', () => {
    const { body } = requestOf('matrix', { text: `${'<b>é</b>\n'.repeat(400)}${'ü'.repeat(400)}` })
    const long = requestOf('pushover', { text: 'one\ntwo\n'.repeat(400) })
    expect(JSON.parse(body)).toHaveProperty('formatted_body', expect.stringContaining('<br>'))
    expect(new URLSearchParams(long.body).get('message')).toMatch(/^one\ntwo\n/)
  })
})

describe('Whom a user names', () => {
  const value = (text: string) => ({ ...payloadOf({ price: ['1', text] }), numeric_fields: [] })

  test('is notified by Discord, which notifies nobody of an embed; nobody whom a value names is', () => {
    const wording = wordingOf({ text: 'Hi <@123456789012345678> <@&223456789012345678> {{fields.price.after}}' })
    const { content, allowed_mentions: allowed } = discordMessage(value('@everyone <@9>'), LINKS, null, wording)
    expect(content).toBe('<@123456789012345678> <@&223456789012345678>')
    expect(allowed).toEqual({ parse: [], users: ['123456789012345678'], roles: ['223456789012345678'] })
    const all = discordMessage(value('2'), LINKS, null, wordingOf({ text: '@here: {{fields.price.after}}' }))
    expect([all.content, all.allowed_mentions.parse]).toEqual(['@here', ['everyone']])
    const split = discordMessage(
      value('23456789012345678'),
      LINKS,
      null,
      wordingOf({ text: '<@1{{fields.price.after}}>' }),
    )
    expect([split.content, split.allowed_mentions]).toEqual([undefined, { parse: [] }])
  })

  test('is notified by Matrix, and nobody whom a value names is', () => {
    const mentionsOf = (text: string, after: string) => {
      const { body } = requestOf('matrix', { text }, value(after))
      return (JSON.parse(body) as { 'm.mentions': object })['m.mentions']
    }
    expect(mentionsOf('Hi @ada:example.com, {{fields.price.after}}', '@eve:evil.test @room')).toEqual({
      user_ids: ['@ada:example.com'],
    })
    expect(mentionsOf('@room {{fields.price.after}}', '2')).toEqual({ room: true })
    expect(mentionsOf('mail ada@example.com {{fields.price.after}}', '@room')).toEqual({})
  })
})

test('A title for Pushover is as long as it takes, also with what keeps it from being a link', () => {
  const { body } = requestOf('pushover', { title: '#'.repeat(150) })
  const title = new URLSearchParams(body).get('title') ?? ''
  expect(title.length).toBeLessThanOrEqual(250)
  expect(title).toMatch(/^#\u200b#/)
})
