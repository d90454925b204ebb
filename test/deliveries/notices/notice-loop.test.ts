import { randomUUID } from 'node:crypto'
import type { SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Mailer } from '../../../deliveries/mail/mailer.ts'
import { createNoticeLoop, type NoticeLoop } from '../../../deliveries/notices/notice-loop.ts'
import { LINKS, type Mailbox, openMailbox, refusal } from '../channels/mailbox.ts'
import { mailerTo } from '../mail/mail-sending.ts'
import { eventually } from '../../support/eventually.ts'
import { openOutbox, type Outbox } from '../loop/outbox.ts'

let outbox: Outbox
beforeAll(async () => {
  outbox = await openOutbox()
})
afterAll(() => outbox[Symbol.asyncDispose]())

let loops: NoticeLoop[]
let open: { mailbox: Mailbox; mailer: Mailer & Disposable }[]
beforeEach(() => {
  loops = []
  open = []
})
afterEach(async () => {
  await Promise.all(loops.map((loop) => loop.drain()))
  for (const { mailer } of open) mailer[Symbol.dispose]()
  await Promise.all(open.map(({ mailbox }) => mailbox[Symbol.asyncDispose]()))
  await outbox.query('delete from notices')
  await outbox.setClock(0)
})

async function postOffice(options: SMTPServerOptions = {}) {
  const mailbox = await openMailbox(options)
  const mailer = mailerTo(`smtp://127.0.0.1:${mailbox.port}`)
  open.push({ mailbox, mailer })
  return { mailbox, mailer }
}
function loop(mailer: Mailer): NoticeLoop {
  const log = { info() {}, warn() {}, error() {} }
  const made = createNoticeLoop({ store: outbox.store, mailer, links: LINKS, log, idleMs: 20 })
  loops.push(made)
  return made
}

/** A team with an owner, its monitor that failed, and the notice of it. */
async function notice({
  kind = 'failing',
  name = 'Kettle',
  url = 'https://example.com/k',
  reason = 'The page answered 500.',
} = {}) {
  const email = `owner-${randomUUID()}@example.com`
  const { rows } = await outbox.query(
    `with u as (insert into auth.users (name, email, email_verified) values ('O', $1, true) returning id),
     t as (insert into teams (name, owner_user_id, tier) select 'T', id, 'scale' from u returning id),
     m as (insert into monitors (team_id, user_id, name, url, schedule_interval_seconds, extract_config,
       diff_predicate, fetch_mode)
       select id, gen_random_uuid(), $2, $3, 60, '{}', '{}', 'auto' from t returning id, no, team_id),
     c as (insert into checks (no, team_id, queue, interval_seconds, shift_seconds, failures)
       select no, team_id, 'static', 60, 0, 5 from m),
     r as (insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, error_message)
       select no, new_run_id(clock(), no), team_id, 0, 1, 'error', $4 from m returning id)
     insert into notices (id, team_id, monitor_no, run_id, kind, due_at, created_at)
     select uuid_v7(clock()), m.team_id, m.no, r.id, $5, clock(), clock() from m, r
     returning id, run_id, (select id from m) as monitor_id, team_id`,
    [email, name, url, reason, kind],
  )
  return { email, ...(rows[0] as { id: string; run_id: string; monitor_id: string; team_id: string }) }
}
interface SeenNotice {
  readonly status: string
  readonly attempts: number
  readonly response: string | null
  readonly due_in: number | null
}
const see = async (id: string): Promise<SeenNotice> =>
  (
    await outbox.query(
      `select status, attempts, response, extract(epoch from due_at - clock())::float8 as due_in from notices ` +
        `where id = $1`,
      [id],
    )
  ).rows[0]
const until = (id: string, condition: (seen: SeenNotice) => boolean) => eventually(() => see(id), condition)

test('the owner gets one mail that names the monitor, the reason, the page and the run', async () => {
  const { mailbox, mailer } = await postOffice()
  const { id, email, run_id, monitor_id } = await notice()
  loop(mailer).start()
  expect(await until(id, ({ status }) => status === 'success')).toMatchObject({ attempts: 1, due_in: null })
  const [letter, ...more] = mailbox.letters
  expect(more).toEqual([])
  expect(letter).toMatchObject({ to: [email], mail: { subject: 'Kettle is failing' } })
  expect(letter?.mail.messageId).toContain(id)
  const address = `https://watch.example.com/monitors/${monitor_id}/runs/${run_id}`
  for (const text of ['Kettle', 'The page answered 500.', 'https://example.com/k', address]) {
    expect(letter?.mail.text).toContain(text)
    expect(letter?.mail.html).toContain(text)
  }
})

test('a recovery is told in its own words, after the failing', async () => {
  const { mailbox, mailer } = await postOffice()
  await notice({ kind: 'recovered' })
  loop(mailer).start()
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(mailbox.letters[0]?.mail.subject).toBe('Kettle works again')
  expect(mailbox.letters[0]?.mail.text).not.toContain('500')
})

test('a monitor that finds nothing is told so, and what to do', async () => {
  const { mailbox, mailer } = await postOffice()
  await notice({ kind: 'field_missing' })
  loop(mailer).start()
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(mailbox.letters[0]?.mail.subject).toBe('Kettle finds nothing')
  expect(mailbox.letters[0]?.mail.text).toMatch(/every field .* is empty/)
  expect(mailbox.letters[0]?.mail.text).toContain('fetch_mode')
})

test('a name that is markup or a header is text', async () => {
  const { mailbox, mailer } = await postOffice()
  await notice({ name: '<b>K</b>\r\nBcc: eve@example.com', reason: '<script>alert(1)</script>' })
  loop(mailer).start()
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  const letter = mailbox.letters[0]
  expect(letter?.to).toHaveLength(1)
  expect(letter?.mail.subject).toBe('<b>K</b> Bcc: eve@example.com is failing')
  expect(letter?.mail.html).not.toMatch(/<b>|<script>/)
})

test('a mail that is not taken is tried again after 5 minutes, then 15, and is dead after six attempts', async () => {
  let tries = 0
  const { mailer } = await postOffice({
    onMailFrom: (_address, _session, callback) => (tries++, callback(refusal(451, 'later'))),
  })
  const { id } = await notice()
  loop(mailer).start()
  let ahead = 0
  for (const [index, delay] of [300, 900, 1800, 3600, 7200].entries()) {
    const seen = await until(id, ({ attempts }) => attempts === index + 1)
    expect(seen).toMatchObject({ status: 'failed', response: expect.stringContaining('later') })
    expect((seen.due_in ?? 0) / delay).toBeCloseTo(1, 1)
    ahead += delay + 1
    await outbox.setClock(ahead)
  }
  expect(await until(id, ({ attempts }) => attempts === 6)).toMatchObject({ status: 'dead', due_in: null })
  expect(tries).toBe(6)
})

test('a refusal of the address is final', async () => {
  const { mailer } = await postOffice({
    onRcptTo: (_address, _session, callback) => callback(refusal(550, 'no such user')),
  })
  const { id } = await notice()
  loop(mailer).start()
  expect(await until(id, ({ attempts }) => attempts === 1)).toMatchObject({ status: 'failed', due_in: null })
})

test('a notice of an owner who is gone ends, and keeps nobody waiting', async () => {
  const { mailbox, mailer } = await postOffice()
  const { id, email } = await notice()
  await outbox.query('delete from auth.users where email = $1', [email])
  await notice()
  loop(mailer).start()
  expect(await until(id, ({ attempts }) => attempts === 1)).toMatchObject({ status: 'failed', due_in: null })
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
})

test('two loops send each notice once', async () => {
  const { mailbox, mailer } = await postOffice()
  const ids: string[] = []
  for (let n = 0; n < 12; n++) ids.push((await notice()).id)
  loop(mailer).start()
  loop(mailer).start()
  for (const id of ids) await until(id, ({ status }) => status === 'success')
  expect(mailbox.letters).toHaveLength(12)
  expect(new Set(mailbox.letters.map(({ mail }) => mail.messageId)).size).toBe(12)
})

test('what is being sent when the process stops is given back uncounted, and sent by the next', async () => {
  let hold = true
  const { mailbox, mailer } = await postOffice({
    onMailFrom: (_address, _session, callback) => (hold ? undefined : callback()),
  })
  const { id } = await notice()
  const first = loop(mailer)
  first.start()
  await eventually(
    () => mailbox.contacts,
    (count) => count > 0,
  )
  await first.drain()
  expect(await see(id)).toMatchObject({ status: 'pending', attempts: 0 })
  hold = false
  loop(mailer).start()
  await until(id, ({ status }) => status === 'success')
  expect(mailbox.letters).toHaveLength(1)
})
