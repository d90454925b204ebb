import { expect, test } from 'vitest'
import { refusal } from '../../support/mail/mailbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { noticeLoops } from './notice-loops.ts'

const { postOffice, loop, happened, see, until, isHandled, setClock, query } = noticeLoops()

test('the owner gets one mail that names the monitor, the reason, the page and the run', async () => {
  const { mailbox, mailer } = await postOffice()
  const { team_id, email, run_id, monitor_id } = await happened()
  loop(mailer).start()
  const sent = await until(team_id, ({ status }) => status === 'success')
  expect(sent).toMatchObject({ attempts: 1, due_in: null })
  const [letter, ...more] = mailbox.letters
  expect(more).toEqual([])
  expect(letter).toMatchObject({ to: [email], mail: { subject: 'Kettle is failing' } })
  expect(letter?.mail.messageId).toContain(sent?.id)
  const address = `https://watch.example.com/monitors/${monitor_id}/runs/${run_id}`
  for (const text of ['Kettle', 'The page answered 500.', 'https://example.com/k', address]) {
    expect(letter?.mail.text).toContain(text)
    expect(letter?.mail.html).toContain(text)
  }
})

test('a recovery has a message of its own, after the failing', async () => {
  const { mailbox, mailer } = await postOffice()
  await happened({ kind: 'recovered' })
  loop(mailer).start()
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(mailbox.letters[0]?.mail.subject).toBe('Kettle works again')
  // Ids in addresses may have these digits.
  expect(mailbox.letters[0]?.mail.text).not.toMatch(/\b500\b/)
})

test('the notice of a monitor that finds nothing says so, and what to do', async () => {
  const { mailbox, mailer } = await postOffice()
  await happened({ kind: 'field_missing' })
  loop(mailer).start()
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(mailbox.letters[0]?.mail.subject).toBe('Kettle finds nothing')
  expect(mailbox.letters[0]?.mail.text).toMatch(/every field .* is empty/)
  expect(mailbox.letters[0]?.mail.text).toContain('fetch_mode')
})

test('checks that nobody renders are reported to the owner as such, and not as five failures', async () => {
  const { mailbox, mailer } = await postOffice()
  await happened({ isOfTeam: true, detail: { waiting_for_browser: 2 } })
  loop(mailer).start()
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(mailbox.letters[0]?.mail.subject).toBe('Checks wait for a browser')
  expect(mailbox.letters[0]?.mail.text).toContain('TIDEMARK_BROWSER_PAGES')
  expect(mailbox.letters[0]?.mail.text).not.toContain('five times')
})

test('a name that is markup or a header is text', async () => {
  const { mailbox, mailer } = await postOffice()
  await happened({ name: '<b>K</b>\r\nBcc: eve@example.com', reason: '<script>alert(1)</script>' })
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
  const { team_id: id } = await happened()
  loop(mailer).start()
  let ahead = 0
  for (const [index, delay] of [300, 900, 1800, 3600, 7200].entries()) {
    const seen = await until(id, ({ attempts }) => attempts === index + 1)
    expect(seen).toMatchObject({ status: 'failed', response_body: expect.stringContaining('later') })
    expect((seen?.due_in ?? 0) / delay).toBeCloseTo(1, 1)
    ahead += delay + 1
    await setClock(ahead)
  }
  expect(await until(id, ({ attempts }) => attempts === 6)).toMatchObject({ status: 'dead', due_in: null })
  expect(tries).toBe(6)
})

test('a refusal of the address is final', async () => {
  const { mailer } = await postOffice({
    onRcptTo: (_address, _session, callback) => callback(refusal(550, 'no such user')),
  })
  const { team_id: id } = await happened()
  loop(mailer).start()
  expect(await until(id, ({ attempts }) => attempts === 1)).toMatchObject({ status: 'failed', due_in: null })
})

test('a notice of an owner who is gone ends, and keeps nobody waiting', async () => {
  const { mailbox, mailer } = await postOffice()
  const { event_id, email } = await happened()
  await query('delete from auth.users where email = $1', [email])
  await happened()
  loop(mailer).start()
  await isHandled(event_id)
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
})

test('two loops send each notice once', async () => {
  const { mailbox, mailer } = await postOffice()
  const ids: string[] = []
  for (let n = 0; n < 12; n++) ids.push((await happened()).team_id)
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
  const { team_id: id } = await happened()
  const first = loop(mailer)
  first.start()
  await eventually(
    () => mailbox.contacts,
    (count) => count > 0,
  )
  await first.drain(0)
  expect(await see(id)).toMatchObject({ status: 'pending', attempts: 0 })
  hold = false
  loop(mailer).start()
  await until(id, ({ status }) => status === 'success')
  expect(mailbox.letters).toHaveLength(1)
})
