import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDeliveryMetrics } from '../../../deliveries/loop/delivery-metrics.ts'
import { accountMailMessage } from '../../../deliveries/messages/account-mail.ts'
import { AccountMail } from '../../../schema/account/mail.ts'
import { createMailQueue, type MailQueue, type NewMail } from '../../../store/accounts/mail-queue.ts'
import { openOutbox, type Outbox } from '../../support/database/outbox.ts'
import { startMailWorker } from '../../support/mail/mail-worker.ts'
import { refusal } from '../../support/mail/mailbox.ts'
import { eventually } from '../../support/run/eventually.ts'

let outbox: Outbox
let queue: MailQueue
beforeAll(async () => {
  outbox = await openOutbox()
  queue = createMailQueue(outbox.secrets, true)
})
afterAll(() => outbox[Symbol.asyncDispose]())

const LINK = 'https://watch.example.com/auth/link?token=a-secret-token&x=1'
const EXPIRES = '2026-05-08T12:00:00.000Z'
let count = 0
const address = () => `ann-${(count += 1)}@example.com`
const rows = async () => (await outbox.query('select * from notices')).rows

type Facts = NewMail extends infer M ? (M extends NewMail ? Omit<M, 'teamId' | 'to' | 'link'> : never) : never

const KINDS: readonly (readonly [Facts, RegExp, RegExp])[] = [
  [{ kind: 'verify_email' }, /^Confirm your address$/, /created a Tidemark account/],
  [{ kind: 'reset_password' }, /^Set a new password$/, /works once/],
  [{ kind: 'account_exists' }, /^You already have a Tidemark account$/, /has an account there already/],
  [
    { kind: 'invitation', team_name: 'Kettles', role: 'admin', invited_by: 'bo@example.com', expires_at: EXPIRES },
    /^bo@example\.com invites you to "Kettles"$/,
    /as an admin[^]*8 May 2026[^]*signs up with this address/,
  ],
  [
    { kind: 'invitation_accepted', team_name: 'Kettles', role: 'viewer', member: 'cy@example.com' },
    /^cy@example\.com joined "Kettles"$/,
    /as a viewer/,
  ],
  [
    { kind: 'serp_auto_paused', monitor_name: 'kettle', consecutive_failures: 10, reason: 'The engine refused.' },
    /^kettle is paused$/,
    /10 checks in a row failed[^]*The engine refused/,
  ],
]

test('each kind of mail is read below', () => {
  const kinds = AccountMail.anyOf.map(({ properties }) => properties.kind.const)
  expect(KINDS.map(([{ kind }]) => kind).sort()).toEqual([...kinds].sort())
})

test.each(KINDS)(
  'a mail to an account says the same in text and HTML, and has its link: %j',
  async (facts, subject, words) => {
    await using worker = await startMailWorker(outbox)
    const to = address()
    expect(await queue.add(outbox.store, { ...facts, teamId: outbox.teamId, to, link: LINK } as NewMail)).toBe(true)
    const { mail } = await worker.letterTo(to)
    expect(mail.subject).toMatch(subject)
    expect(mail.text).toMatch(words)
    expect(mail.html?.replaceAll(/\s+/g, ' ')).toMatch(words)
    const hasLink = facts.kind !== 'invitation_accepted'
    expect(mail.text?.includes(LINK)).toBe(hasLink)
    expect(mail.html?.includes(`href="${LINK.replaceAll('&', '&amp;')}"`)).toBe(hasLink)
  },
)

test('names in a mail are text: they are no header, no markup and no second recipient', async () => {
  await using worker = await startMailWorker(outbox)
  const to = address()
  await queue.add(outbox.store, {
    kind: 'invitation',
    team_name: '<img src=x onerror=alert(1)>\r\nBcc: eve@example.com',
    role: 'member',
    invited_by: '"bo"@example.com',
    expires_at: EXPIRES,
    teamId: outbox.teamId,
    to,
    link: LINK,
  })
  const letter = await worker.letterTo(to)
  expect(letter.to).toEqual([to])
  expect(letter.mail.headers.map(({ key }) => key)).not.toContain('bcc')
  expect(letter.mail.subject).toContain('"<img src=x onerror=alert(1)> Bcc: eve at example·com"')
  expect(letter.mail.html).not.toContain('<img')
})

test.each([
  ['Win at https://evil.example.com/x now', '"Win at https: evil·example·com/x now"'],
  ['mail eve@evil.com', '"mail eve at evil·com"'],
  ['evil。com ＠ evil．com', '"evil·com  at  evil·com"'],
  ['" urgent: "example.com', `"' urgent: 'example·com"`],
  ['Acme Inc.', '"Acme Inc."'],
])('the name of a team, %j, stands in quotation marks, and no mail program makes a link of it', (team_name, shown) => {
  const facts = { role: 'member', invited_by: 'bo@example.com', expires_at: EXPIRES } as const
  const invited = accountMailMessage({ type: 'account_mail', kind: 'invitation', team_name, ...facts }, LINK)
  expect(invited.subject).toBe(`bo@example.com invites you to ${shown}`)
  expect(invited.text.slice(0, invited.text.indexOf(LINK))).toContain(`the Tidemark team ${shown} as a member`)
  const accepted = { type: 'account_mail', kind: 'invitation_accepted', member: 'cy@example.com' } as const
  expect(accountMailMessage({ ...accepted, team_name, role: 'member' }, null).subject).toBe(
    `cy@example.com joined ${shown}`,
  )
})

test('a link that is not a web address is left out', async () => {
  await using worker = await startMailWorker(outbox)
  const to = address()
  await queue.add(outbox.store, { kind: 'verify_email', teamId: outbox.teamId, to, link: 'javascript:alert(1)' })
  const { mail } = await worker.letterTo(to)
  expect(`${mail.text}${mail.html}`).not.toMatch(/javascript|href/)
})

test('a mail is sent when its action is committed, and never otherwise', async () => {
  await using worker = await startMailWorker(outbox)
  const [kept, undone] = [address(), address()]
  const facts = { kind: 'verify_email', teamId: outbox.teamId, link: LINK } as const
  await outbox.store
    .transaction(async (tx) => {
      await queue.add(tx, { ...facts, to: undone })
      throw new Error('undone')
    })
    .catch(() => {})
  await outbox.store.transaction((tx) => queue.add(tx, { ...facts, to: kept }))
  await worker.letterTo(kept)
  expect(worker.mailbox.letters.map(({ to }) => to)).toEqual([[kept]])
})

test('without a mail server nothing is queued', async () => {
  const before = (await rows()).length
  const none = createMailQueue(outbox.secrets, false)
  const mail = { kind: 'verify_email', teamId: outbox.teamId, to: address(), link: LINK } as const
  expect(await none.add(outbox.store, mail)).toBe(false)
  expect(await rows()).toHaveLength(before)
})

test('a mail server that is away for an hour loses no mail', async () => {
  let isAway = true
  const onMailFrom = (_: unknown, __: unknown, callback: (error?: Error) => void) =>
    callback(isAway ? refusal(451, 'away') : undefined)
  await using worker = await startMailWorker(outbox, { server: { onMailFrom } })
  const to = [address(), address(), address()]
  for (const one of to)
    await queue.add(outbox.store, { kind: 'reset_password', teamId: outbox.teamId, to: one, link: LINK })
  const waiting = async (attempts: number) =>
    eventually(
      async () => (await rows()).filter((row) => row.status === 'failed' && row.attempts === attempts),
      (found) => found.length === to.length,
    )
  await waiting(1)
  await outbox.setClock(301)
  await waiting(2)
  await outbox.setClock(301 + 901)
  await waiting(3)
  await outbox.setClock(301 + 901 + 1801)
  await waiting(4)
  isAway = false
  await outbox.setClock(301 + 901 + 1801 + 3601)
  for (const one of to) await worker.letterTo(one)
  expect(worker.mailbox.letters).toHaveLength(3)
  await outbox.setClock(0)
})

test('a mail that can never be sent ends in the log and in a metric, and no link stands in either', async () => {
  const registry = new Registry()
  const lines: string[] = []
  const note = (...line: unknown[]) => void lines.push(JSON.stringify(line))
  const log = { info: note, warn: note, error: note }
  const onRcptTo = (_: unknown, __: unknown, callback: (error?: Error) => void) =>
    callback(refusal(550, 'no such user'))
  await using _worker = await startMailWorker(outbox, {
    server: { onRcptTo },
    log,
    metrics: createDeliveryMetrics(registry, 'notice'),
  })
  const to = address()
  await queue.add(outbox.store, {
    kind: 'invitation_accepted',
    team_name: 'T',
    role: 'admin',
    member: 'm',
    teamId: outbox.teamId,
    to,
    link: LINK,
  })
  await queue.add(outbox.store, { kind: 'verify_email', teamId: outbox.teamId, to, link: LINK })
  await eventually(
    async () => lines.filter((line) => line.includes('given up')).length,
    (found) => found === 2,
  )
  expect(await registry.metrics()).toContain('tidemark_notices_given_up_total{kind="verify_email"} 1')
  expect(lines.join('\n')).not.toMatch(/a-secret-token|ann-\d/)
  const stored = (await outbox.query(`select n::text as text from notices n where kind = 'verify_email'`)).rows
  expect(stored.map(({ text }) => text).join('\n')).not.toContain('a-secret-token')
})
