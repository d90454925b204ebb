import fc from 'fast-check'
import { expect, test } from 'vitest'
import { discordMessage } from '../../../deliveries/messages/discord-message.ts'
import { emailMessage } from '../../../deliveries/messages/email-message.ts'
import { slackMessage } from '../../../deliveries/messages/slack-message.ts'
import { textOf } from '../../../deliveries/notices/notice-text.ts'
import type { NoticePayload } from '../../../schema/run/notice.ts'

const LINKS = { dashboardUrl: 'https://dash.example.com' }
const noticeOf = (fields: string[], name: string): NoticePayload => {
  const field_missing = { fields, all: false }
  return {
    id: '019de363-b000-7a4c-9d1e-0c6f7a1b2c3d',
    version: '2026-05-01',
    type: 'notice',
    kind: 'field_missing',
    occurred_at: '2026-05-01T12:00:00.000Z',
    ...textOf({ kind: 'field_missing', blocks: { field_missing }, name, about: 'page' }),
    recipient: 'destination',
    monitor_id: '5a0f3c52-7d0e-4d0e-a5a8-0b1f5d1f2a3b',
    run_id: '019de363-a5c8-7c11-8000-000000c0ffee',
    monitor: { url: 'https://example.com/kettle', name, kind: 'page' },
    field_missing,
  }
}

test('names as many fields as there is room for, and counts the others', () => {
  const fields = Array.from({ length: 50 }, (_, n) => `field ${n} ${'x'.repeat(80)}`)
  const { message } = noticeOf(fields, 'Kettle')
  expect(message).toContain('Missing for three runs in a row, and there before: field 0 ')
  expect(message).toMatch(/x and \d+ more\.\n/)
  expect(noticeOf(['price', 'stock'], 'Kettle').message).toContain('and there before: price, stock.')
})

test('says that searches stop although runs are left, how many they need, and what helps', () => {
  const counts = { pool: 'serp', threshold_pct: 100, used: 98, limit: 100, credits_remaining: 1, needs: 5 } as const
  const quota = { ...counts, resets_at: '2030-06-01T12:00:00.000Z' }
  const { title, message } = textOf({ kind: 'quota', blocks: { quota }, name: null, about: null })
  expect(title).toBe('Too few runs are left for searches, and their checks are skipped')
  expect(message).toContain('A SERP monitor needs 5 runs for its pages, and 3 are left.\n98 of 100 SERP runs')
  expect(message).toContain('at the latest from 1 June 2030 at 12:00 UTC')
  const onlyCredits = { ...quota, used: 0, limit: 0, resets_at: null }
  const other = textOf({ kind: 'quota', blocks: { quota: onlyCredits }, name: null, about: null })
  expect(other.message).toContain('needs 5 runs for its pages, and 1 is left.\nIt is checked again when')
  expect(other.message).not.toMatch(/trial|at the latest/)
})

const names = fc.array(
  fc.string({ minLength: 1, maxLength: 100, unit: fc.constantFrom('a', '&', '<', '*', '_', '漢', '🫖') }),
  {
    minLength: 1,
    maxLength: 50,
    size: 'max',
  },
)
const lengthOf = (text: string | undefined) => text?.length ?? 0

test('every message about missing fields is within the limits of its service, whatever the names', () => {
  fc.assert(
    fc.property(names, fc.string({ maxLength: 200, unit: fc.constantFrom('a', '&', '*', '🫖') }), (fields, name) => {
      const notice = noticeOf(fields, name)
      const { blocks } = slackMessage(notice, LINKS)
      expect(blocks.length).toBeLessThanOrEqual(50)
      for (const block of blocks) {
        if (block.type === 'header') expect(block.text.text.length).toBeLessThanOrEqual(150)
        if (block.type === 'section') expect(lengthOf(block.text?.text)).toBeLessThanOrEqual(3_000)
      }
      const [embed] = discordMessage(notice, LINKS).embeds
      expect(embed.title.length).toBeLessThanOrEqual(256)
      expect(embed.description.length).toBeLessThanOrEqual(4_096)
      for (const { name: title, value } of embed.fields) {
        expect(title.length).toBeLessThanOrEqual(256)
        expect(value.length).toBeLessThanOrEqual(1_024)
      }
      const all = [
        embed.title,
        embed.description,
        embed.footer.text,
        ...embed.fields.flatMap((one) => [one.name, one.value]),
      ]
      expect(all.join('').length).toBeLessThanOrEqual(6_000)
      const mail = emailMessage(notice, LINKS)
      expect(mail.subject.length).toBeLessThanOrEqual(500)
      expect(mail.text.length).toBeLessThanOrEqual(10_000)
    }),
  )
})
