import { describe, expect, test } from 'vitest'
import { deliveryPayload } from '../../../core/payload.ts'
import { discordMessage } from '../../../deliveries/messages/discord-message.ts'
import { emailMessage } from '../../../deliveries/messages/email-message.ts'
import { readPayload } from '../../../deliveries/messages/message-payload.ts'
import { slackMessage } from '../../../deliveries/messages/slack-message.ts'
import type { SerpAnalysisBlock, SerpBlock } from '../../../schema/serp/serp-result.ts'

const LINKS = { dashboardUrl: 'https://watch.example.com' }
const ID = '01890000-0000-7000-8000-000000000002'
const RUN_URL = `https://watch.example.com/serp-monitors/${ID}/runs/01890000-0000-7000-8000-000000000003`
const url = 'https://www.google.com/search?q=shoes'

function messages(block: { readonly serp: SerpBlock } | { readonly serp_analysis: SerpAnalysisBlock }) {
  const payload = deliveryPayload({
    id: '01890000-0000-7000-8000-000000000001',
    monitorId: '01890000-0000-7000-8000-000000000002',
    runId: '01890000-0000-7000-8000-000000000003',
    firedAtMs: Date.parse('2026-05-01T12:00:00Z'),
    diff: null,
    monitor: { url, name: 'Shoes' },
    ...block,
  })
  const read = readPayload(JSON.stringify(payload))
  if (read === null) throw new Error('no message can be made')
  const { subject, text, html } = emailMessage(read, LINKS)
  const chats = [JSON.stringify(slackMessage(read, LINKS)), JSON.stringify(discordMessage(read, LINKS))]
  return { payload, subject: plain(subject), all: [...chats, text, html].map(plain) }
}

/** Without the marks that keep texts of two directions apart, and without escapes. */
const plain = (text: string) => text.replace(/[\u2066-\u2069]/g, '').replaceAll('\\\\', '')

const serp = (rank: number | null, previous_rank: number | null): { readonly serp: SerpBlock } => ({
  serp: {
    keyword: 'shoes',
    target_domain: 'mine.example',
    rank,
    previous_rank,
    rank_delta: rank === null || previous_rank === null ? null : previous_rank - rank,
  },
})

describe('a message about a rank', () => {
  test.each([
    [8, 12, 'Shoes: mine.example for “shoes” #12 → #8 (up 4)'],
    [12, 8, 'Shoes: mine.example for “shoes” #8 → #12 (down 4)'],
    [3, null, 'Shoes: mine.example for “shoes” not listed → #3 (entered the results)'],
    [null, 3, 'Shoes: mine.example for “shoes” #3 → not listed (left the results)'],
  ])('of %s after %s reads as people say it, in every format', (rank, previous, line) => {
    const { subject, all } = messages(serp(rank, previous))
    expect(subject).toBe(line)
    for (const text of all) {
      expect(text).toContain(RUN_URL)
      expect(text).toContain(rank === null ? 'not listed' : `#${rank}`)
      expect(text).toContain('mine.example')
    }
  })
})

describe('a message about a list of results', () => {
  const one = (rank: number, name: string, title = `Title ${name}`) => ({
    rank,
    title,
    description: '',
    domain: `https://${name}.example/`,
  })
  const serp_analysis: SerpAnalysisBlock = {
    keyword: 'shoes',
    results: [one(1, 'b'), one(2, 'a'), one(3, 'new'), one(4, 'd', 'Another title')],
    previous_results: [one(1, 'a'), one(2, 'b'), one(3, 'c'), one(4, 'd')],
  }

  test('says what is new, moved, changed and gone', () => {
    const { subject, all } = messages({ serp_analysis })
    expect(subject).toBe('Shoes: Results for “shoes”: 1 new, 2 moved, 1 changed, 1 gone')
    for (const text of all) {
      expect(text).toContain(RUN_URL)
      expect(text).toContain('#2 → #1 Title b · b.example')
      expect(text).toContain('+ #3 Title new · new.example')
      expect(text).toContain('#4 Another title · d.example (was “Title d”)')
      expect(text).toContain('− #3 Title c · c.example')
    }
  })

  test('cannot act on a format through untrusted titles', () => {
    const evil = one(1, 'a', '<!channel> @everyone <script>alert(1)</script> [x](https://evil.example)')
    const { all } = messages({ serp_analysis: { keyword: 'x', results: [evil], previous_results: [] } })
    const [slack = '', discord = '', , html = ''] = all
    expect(slack).not.toContain('<!channel>')
    expect(discord).not.toContain('@everyone <')
    expect(html).not.toContain('<script>')
  })
})

describe('the payload', () => {
  test('has the blocks of the contract, and an empty difference', () => {
    const { payload } = messages(serp(8, 12))
    expect(payload.diff).toEqual({ fields_changed: [], before: {}, after: {} })
    expect(payload.monitor.url).toBe(url)
    expect(payload.serp).toEqual({
      keyword: 'shoes',
      target_domain: 'mine.example',
      rank: 8,
      previous_rank: 12,
      rank_delta: 4,
    })
  })
})
