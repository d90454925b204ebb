import { describe, expect, test } from 'vitest'
import { namedTexts } from '../../../core/message/render-message.ts'
import { sign } from '../../../core/signature.ts'
import { accountMailMessage } from '../../../deliveries/messages/account-mail.ts'
import { digestMessage } from '../../../deliveries/messages/digest-story.ts'
import { discordMessage } from '../../../deliveries/messages/discord-message.ts'
import { emailMessage } from '../../../deliveries/messages/email-message.ts'
import { readAccountMail, readPayload } from '../../../deliveries/messages/message-payload.ts'
import { slackMessage } from '../../../deliveries/messages/slack-message.ts'
import { valuesOf, wordedStory } from '../../../deliveries/messages/worded-story.ts'
import { SERVICES } from '../../../deliveries/services/services.ts'
import type { AccountMail, AccountMailKind } from '../../../schema/account/mail.ts'
import { bodyTemplate } from '../../../schema/message/message-template.ts'
import { type DeliveryType, NOTICE_KINDS } from '../../../schema/monitor/delivery-config.ts'
import { SERVICE_TABLE } from '../../../schema/monitor/delivery-services.ts'
import { VALUE_LIMITS } from '../../../schema/monitor/value-limits.ts'
import { NoticePayload } from '../../../schema/run/notice.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { LINKS, payloadOf } from '../../support/mail/mailbox.ts'
import { dearness } from '../../support/run/dearness.ts'
import { largestBlocks, largestChanges } from './largest-changes.ts'

/** Gmail shows so much of a mail, and hides the rest behind a link. */
const MAIL_BYTES = 102 * 1024
/** A receiver of webhooks takes what is stored: the values before and after with lists, or two thousand results. */
const PAYLOAD_BYTES = Math.max(6 * VALUE_LIMITS.resultBytes, 2 * VALUE_LIMITS.items * 3 * 1024)

interface Channel {
  /** Does what an attempt does before anything is sent. Returns the parts that are sent. */
  write(payload: string): readonly string[]
  /** The most bytes of a part that the service takes whole. */
  readonly bytes: number
}

const read = (text: string) => {
  const payload = readPayload(text)
  if (!payload) throw new Error('no message can be written from this payload')
  return payload
}

/** A new channel has no row until somebody thought about its cost. */
const CHANNELS: Readonly<Record<DeliveryType, Channel>> = {
  webhook: {
    write: (text) => [text, sign(['s'.repeat(64), 't'.repeat(64)], 1, Buffer.from(text, 'utf8'))],
    bytes: PAYLOAD_BYTES,
  },
  // Slack counts characters of each part: message-formats.test.ts has them. 50 blocks of 3,000, and their frame.
  slack: { write: (text) => [JSON.stringify(slackMessage(read(text), LINKS, LINKS.dashboardUrl))], bytes: 200_000 },
  // 6,000 characters in all, each of four bytes at most.
  discord: { write: (text) => [JSON.stringify(discordMessage(read(text), LINKS, LINKS.dashboardUrl))], bytes: 30_000 },
  email: {
    write(text) {
      const { subject, text: plain, html } = emailMessage(read(text), LINKS, true)
      return [subject, plain, html]
    },
    bytes: MAIL_BYTES,
  },
}
const CASES = Object.entries(CHANNELS)

function expectBounded(payload: object, channel: Channel): void {
  const text = JSON.stringify(payload)
  for (const part of channel.write(text)) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(channel.bytes)
  expect(dearness(() => channel.write(text), text)).toBeNull()
}

const changes = largestChanges()

/** Each name as often as a text or a body has room for it. */
const named = (names: readonly string[], most: number) => {
  const all = names.map((name) => `{{fields[${JSON.stringify(name)}].after}}{{fields[${JSON.stringify(name)}].before}}`)
  let text = ''
  for (let at = 0; text.length + (all[at % all.length]?.length ?? 0) <= most; at++) text += all[at % all.length]
  return text
}

test.each(changes)('a message of several changes, of which one is the largest, $name: likewise', ({ payload }) => {
  const text = JSON.stringify(payload)
  const names = payload.diff.fields_changed.slice(0, 3)
  const worded = { payload: text, message: { title: named(names, 200) || 'a', text: named(names, 4_000) || 'b' } }
  const parts = [
    worded,
    ...Array.from({ length: 49 }, () => ({ payload: JSON.stringify(payloadOf({ a: ['1', '2'] })) })),
  ]
  const write = () => digestMessage({ parts, count: 50, monitors: 50 }, LINKS)
  expect(write().story.digest?.lines).toHaveLength(50)
  expect(dearness(write, JSON.stringify(parts.map((part) => part.payload)))).toBeNull()
})

describe('a message in words of a user', () => {
  test.each(changes)('of the largest change, $name: likewise', ({ payload }) => {
    const text = JSON.stringify(payload)
    const names = payload.diff.fields_changed.slice(0, 3)
    const wording = { message: { title: named(names, 200) || 'a', text: named(names, 4_000) || '{{changes}}' } }
    const template = bodyTemplate(JSON.stringify({ all: [named(names, 9_000), '{{changes}}'.repeat(500)] }))
    const formats: readonly [write: () => readonly string[], bytes: number][] = [
      [() => [JSON.stringify(slackMessage(read(text), LINKS, null, wording))], 200_000],
      [() => [JSON.stringify(discordMessage(read(text), LINKS, null, wording))], 30_000],
      [() => Object.values(emailMessage(read(text), LINKS, false, wording)), MAIL_BYTES],
      [() => [bodyOf(read(text), text, template)], 2 * SERVICE_TABLE.custom.limit.most],
    ]
    for (const [write, bytes] of formats) {
      for (const part of write()) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(bytes)
      expect(dearness(write, text)).toBeNull()
    }
  })
})

function bodyOf(payload: ReturnType<typeof read>, text: string, template: ReturnType<typeof bodyTemplate>): string {
  const story = wordedStory(payload, LINKS)
  const { limit } = SERVICE_TABLE.custom
  const body = { template, named: namedTexts(valuesOf(payload, story, {})) }
  const about = { id: '', url: 'https://a.example/', notice: null, options: {}, text, method: 'POST' } as const
  return SERVICES.custom.request({ ...about, story, payload, limit, body }).body
}

describe.each(CASES)('a message by %s', (_type, channel) => {
  test.each([...changes, ...largestBlocks()])(
    'of the largest change, $name: costs a multiple of reading its payload, and is no longer than is taken',
    ({ payload }) => expectBounded(payload, channel),
  )

  test.each(NOTICE_KINDS)('of the longest notice, %s: likewise', (kind) => {
    const id = '00000000-0000-4000-8000-000000000000'
    const notice: NoticePayload = {
      id,
      version: '2026-05-01',
      type: 'notice',
      kind,
      occurred_at: '2026-05-01T12:00:00.000Z',
      title: '"'.repeat(400),
      message: `${'"'.repeat(99)}\n`.repeat(80),
      recipient: 'destination',
      monitor_id: id,
      run_id: id,
      monitor: { url: `https://example.com/?${'&'.repeat(2_000)}`, name: '&'.repeat(200), kind: 'page' },
      failing: { consecutive_failures: 5, error_code: 'x'.repeat(100), error_message: '"'.repeat(4_096) },
    }
    expect(checkerOf(NoticePayload).validate(notice)).toMatchObject({ ok: true })
    expectBounded(notice, channel)
  })
})

test('the largest changes have as many bytes as a run may keep', () => {
  const sizes = changes.map(({ after }) => Buffer.byteLength(JSON.stringify(after)))
  expect(Math.max(...sizes)).toBeGreaterThan(0.9 * VALUE_LIMITS.resultBytes)
})

test('ten messages of each channel cost no more than a multiple of reading ten payloads', () => {
  const payloads = changes.slice(0, 10).map(({ payload }) => JSON.stringify(payload))
  for (const [, { write }] of CASES)
    expect(dearness(() => payloads.forEach((text) => write(text)), `[${payloads.join()}]`)).toBeNull()
})

describe('a mail to an account', () => {
  const instant = '2026-05-01T12:00:00.000Z'
  const mail = <K extends AccountMailKind>(kind: K, facts: object) =>
    ({ type: 'account_mail', kind, ...facts }) as AccountMail<K>
  /** The longest facts of each kind. */
  const LONGEST: { readonly [K in AccountMailKind]: AccountMail<K> } = {
    verify_email: mail('verify_email', {}),
    reset_password: mail('reset_password', {}),
    account_exists: mail('account_exists', {}),
    invitation: mail('invitation', {
      team_name: '.'.repeat(80),
      role: 'admin',
      invited_by: '"'.repeat(254),
      expires_at: instant,
    }),
    invitation_accepted: mail('invitation_accepted', {
      team_name: 'a.'.repeat(40),
      role: 'admin',
      member: '"'.repeat(254),
    }),
    serp_auto_paused: mail('serp_auto_paused', {
      monitor_name: '&'.repeat(200),
      consecutive_failures: 10,
      reason: '&'.repeat(4_096),
    }),
  }

  test.each(Object.entries(LONGEST))('%s: costs next to nothing, and is short', (_kind, facts) => {
    const text = JSON.stringify(facts)
    const write = () => {
      const known = readAccountMail(text)
      if (!known) throw new Error('no mail can be written from these facts')
      return accountMailMessage(known, `https://example.com/?token=${'x'.repeat(700)}`)
    }
    expect(Buffer.byteLength(JSON.stringify(write()))).toBeLessThan(MAIL_BYTES / 4)
    expect(dearness(write, text)).toBeNull()
  })
})
