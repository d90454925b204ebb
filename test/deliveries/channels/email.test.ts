import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../../../deliveries/channels/channel.ts'
import { FROM, ID, mailerTo, sendBy, type Sending } from '../../support/mail/mail-sending.ts'
import { type Mailbox, openMailbox, payloadOf, refusal, RUN_URL } from '../../support/mail/mailbox.ts'
import { eventually } from '../../support/run/eventually.ts'

async function send(mailbox: Mailbox, sending?: Sending): Promise<AttemptOutcome> {
  using mailer = mailerTo(`smtp://127.0.0.1:${mailbox.port}`)
  return await sendBy(mailer, sending)
}

describe('a delivery by e-mail', () => {
  test('arrives as one mail with text and HTML, from the sender of this installation', async () => {
    await using mailbox = await openMailbox()
    expect(await send(mailbox)).toEqual({ kind: 'answered', verdict: 'success', status: 250, body: '250 queued as 42' })
    const [letter] = mailbox.letters
    expect(letter).toMatchObject({ from: FROM, to: ['ada@example.com'] })
    expect(letter?.mail).toMatchObject({
      subject: 'Kettle: price $19.99 → $17.49 (−12.5 %)',
      from: { name: 'Tidemark', address: FROM },
      to: [{ name: '', address: 'ada@example.com' }],
      messageId: `<${ID}@tide.example>`,
      attachments: [],
      text: expect.stringContaining(`price\n  $19.99 → $17.49 (−12.5 %)`),
      html: expect.stringContaining(`<a href="${RUN_URL}"`),
    })
    expect(letter?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(letter?.raw).toMatch(/^Content-Type: multipart\/alternative;/m)
  })

  test('has the same Message-ID on each attempt, so that a double can be dropped', async () => {
    await using mailbox = await openMailbox()
    await send(mailbox)
    await send(mailbox)
    expect(mailbox.letters.map(({ mail }) => mail.messageId)).toEqual(Array(2).fill(`<${ID}@tide.example>`))
  })

  test.each([
    'a@b.test\r\nBcc: c@z.test',
    'a@b.test\nBcc: c@z.test',
    'a@b.test, c@z.test',
    '"a, b"@x.test',
    '"c@z.test"@x.test',
    'Ada <a@b.test>',
    '<a@b.test>',
    'a@b.test> SIZE=1\r\nRCPT TO:<c@z.test',
    'a b@c.test',
    'ä@b.test',
    'a@b.test\0',
    'a@b',
    'group:a@b.test;',
    '',
  ])('is not sent to %j, nor is the mail server asked', async (to) => {
    await using mailbox = await openMailbox()
    expect(await send(mailbox, { to })).toMatchObject({
      kind: 'impossible',
      message: expect.stringContaining('cannot be sent to this address'),
    })
    expect(mailbox.contacts).toBe(0)
  })

  test.each([
    ['Kettle\r\nBcc: c@z.test\r\n\r\nhello', 'Kettle Bcc: c@z.test hello: a 1 → 2'],
    ['Ke\u0000ttle\u2028\u202eevil', 'Kettle evil: a 1 → 2'],
    ['غلاية 🫖', '\u2068غلاية 🫖\u2069: a 1 → 2'],
    ['=?utf-8?Q?=0D=0ABcc:_c@z.test?=', '=?utf-8?Q?=0D=0ABcc:_c@z.test?=: a 1 → 2'],
    ['"quoted" <b@z.test>, x', '"quoted" <b@z.test>, x: a 1 → 2'],
  ])('of a monitor named %j has that as one line of its subject, and reaches nobody else', async (name, subject) => {
    await using mailbox = await openMailbox()
    await send(mailbox, { payload: payloadOf({ a: [1, 2] }, { name }) })
    expect(mailbox.letters[0]?.mail.subject).toBe(subject)
    expect(mailbox.letters[0]?.to).toEqual(['ada@example.com'])
    expect(mailbox.letters[0]?.mail.headers.map(({ key }) => key).toSorted()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ])
    expect(mailbox.letters[0]?.raw.split('\r\n').every((line) => line.length <= 998)).toBe(true)
  })

  test('carries hostile and huge values without a line that ends the mail or an element of theirs', async () => {
    await using mailbox = await openMailbox()
    const value = `\r\n.\r\nRCPT TO:<c@z.test>\r\n<script>alert(1)</script>${'é'.repeat(100_000)}`
    expect(await send(mailbox, { payload: payloadOf({ a: ['x', value] }) })).toMatchObject({ status: 250 })
    expect(mailbox.letters).toHaveLength(1)
    const mail = mailbox.letters[0]?.mail
    expect(mail?.text).toContain('now:    . RCPT TO:<c@z.test> <script>alert(1)</script>ééé')
    expect(mail?.html).not.toContain('<script')
    expect(mail?.text).toMatch(/characters left out\)/)
  })

  test('is impossible without a mail server, and says which setting is missing', async () => {
    const outcome = await sendBy(null)
    expect(outcome).toMatchObject({
      kind: 'impossible',
      message: expect.stringMatching(/SMTP_URL is not set.*SMTP_FROM.*replay/),
    })
  })

  test('is impossible with a payload that no message can be made from', async () => {
    await using mailbox = await openMailbox()
    expect(await send(mailbox, { payload: { hello: 'world' } })).toMatchObject({ kind: 'impossible' })
  })
})

describe('what the mail server says', () => {
  test.each([
    [
      '550 to the recipient',
      { onRcptTo: (_a, _s, done) => done(refusal(550, 'no such user')) },
      'client_error',
      550,
      '550 no such user',
    ],
    [
      '554 to the content',
      { onData: (stream, _s, done) => stream.resume().on('end', () => done(refusal(554, 'spam'))) },
      'client_error',
      554,
      '554 spam',
    ],
    [
      '451 to the recipient',
      { onRcptTo: (_a, _s, done) => done(refusal(451, 'greylisted')) },
      'server_error',
      451,
      '451 greylisted',
    ],
    [
      '452 to the content',
      { onData: (stream, _s, done) => stream.resume().on('end', () => done(refusal(452, 'disk full'))) },
      'server_error',
      452,
      '452 disk full',
    ],
    [
      '553 to the sender',
      { onMailFrom: (_a, _s, done) => done(refusal(553, 'not yours')) },
      'server_error',
      553,
      /SMTP_FROM.*553 not yours/,
    ],
    [
      '554 as its greeting',
      { onConnect: (_s, done) => done(refusal(554, 'go away')) },
      'server_error',
      554,
      /cannot be reached.*554 go away/,
    ],
    [
      '421 as its greeting',
      { onConnect: (_s, done) => done(refusal(421, 'too busy')) },
      'server_error',
      421,
      /421 too busy/,
    ],
  ] as const satisfies readonly [string, Parameters<typeof openMailbox>[0], string, number, string | RegExp][])(
    '%s',
    async (...[, options, verdict, status, body]) => {
      await using mailbox = await openMailbox(options)
      const outcome = await send(mailbox)
      expect(outcome).toMatchObject({ kind: 'answered', verdict, status })
      expect(outcome.kind === 'answered' && outcome.body).toMatch(
        typeof body === 'string' ? new RegExp(`^${body}$`) : body,
      )
    },
  )

  test('is kept short', async () => {
    await using mailbox = await openMailbox({ onRcptTo: (_a, _s, done) => done(refusal(550, 'x'.repeat(9_000))) })
    const outcome = await send(mailbox)
    expect(outcome.kind === 'answered' && outcome.body).toMatch(/^550 x{4000,}$/)
    expect(outcome.kind === 'answered' && outcome.body?.length).toBe(4_096)
  })

  test('goes on over the same connection after a refusal', async () => {
    await using mailbox = await openMailbox({
      onRcptTo: ({ address }, _s, done) => done(address.startsWith('no') ? refusal(550, 'no') : null),
    })
    using mailer = mailerTo(`smtp://127.0.0.1:${mailbox.port}`, 1)
    expect(await sendBy(mailer, { to: 'no@example.com' })).toMatchObject({ status: 550 })
    expect(await sendBy(mailer, { to: 'yes@example.com' })).toMatchObject({ status: 250 })
    expect(mailbox.contacts).toBe(1)
  })
})

describe('a mail server that says nothing', () => {
  test('is tried again when nobody listens, and the log says why', async () => {
    const mailbox = await openMailbox()
    await mailbox[Symbol.asyncDispose]()
    const log: string[] = []
    expect(await send(mailbox, { log })).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('cannot be reached'),
    })
    expect(log).toEqual([expect.stringContaining('"reason":"connection"')])
  })

  test.each([
    ['never greets', () => {}],
    [
      'drips its greeting',
      (write: (text: string) => void) => void setInterval(() => write('220-wait\r\n'), 20).unref(),
    ],
  ])('and %s is given up at the deadline', async (_, onOpen) => {
    await using silent = await openSilent(onOpen)
    using mailer = mailerTo(`smtp://127.0.0.1:${silent.port}`)
    const before = performance.now()
    expect(await sendBy(mailer, { deadlineMs: 300 })).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('in time'),
    })
    expect(performance.now() - before).toBeLessThan(10_000)
    await eventually(
      () => silent.open(),
      (open) => open === 0,
    )
  })

  test('and cuts the connection off is tried again', async () => {
    await using silent = await openSilent((_write, end) => end())
    using mailer = mailerTo(`smtp://127.0.0.1:${silent.port}`)
    expect(await sendBy(mailer)).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('ended the connection'),
    })
  })

  test('and cuts the connection off after the whole mail is tried again by the schedule, not at once', async () => {
    let mails = 0
    await using server = await openSilent((write, end, onText) => {
      write('220 hello\r\n')
      onText((text) => {
        if (text.endsWith('\r\n.\r\n')) {
          mails++
          end()
          return
        }
        for (const line of text.split('\r\n').slice(0, -1))
          if (/^(?:EHLO|MAIL|RCPT|DATA)/.test(line)) write(line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n')
      })
    })
    using mailer = mailerTo(`smtp://127.0.0.1:${server.port}`)
    expect(await sendBy(mailer)).toMatchObject({ kind: 'no_answer' })
    expect(mails).toBe(1)
  })

  test('after it took whole mails is given up at the deadline, and other mails get through', async () => {
    let hangs = true
    await using server = await openSilent((write, _end, onText) => {
      write('220 hello\r\n')
      onText((text) => {
        if (text.endsWith('\r\n.\r\n')) {
          if (!hangs) write('250 queued\r\n')
          return
        }
        for (const line of text.split('\r\n').slice(0, -1))
          if (/^(?:EHLO|MAIL|RCPT|DATA)/.test(line)) write(line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n')
      })
    })
    // More mails than the mailer has connections.
    using mailer = mailerTo(`smtp://127.0.0.1:${server.port}`, 2)
    const hung = Array.from({ length: 5 }, () => sendBy(mailer, { deadlineMs: 500 }))
    for (const outcome of await Promise.all(hung))
      expect(outcome).toMatchObject({ kind: 'no_answer', message: expect.stringContaining('in time') })
    await eventually(
      () => server.open(),
      (open) => open === 0,
    )
    hangs = false
    expect(await sendBy(mailer)).toMatchObject({ kind: 'answered', status: 250 })
  })

  test('does not hold up a stop: the attempt ends at once and does not count', async () => {
    await using silent = await openSilent(() => {})
    using mailer = mailerTo(`smtp://127.0.0.1:${silent.port}`)
    const stop = new AbortController()
    const outcome = sendBy(mailer, { signal: stop.signal })
    await eventually(
      () => silent.open(),
      (open) => open === 1,
    )
    stop.abort()
    expect(await outcome).toEqual({ kind: 'aborted' })
  })

  type OnText = (listener: (text: string) => void) => void

  async function openSilent(onOpen: (write: (text: string) => void, end: () => void, onText: OnText) => void) {
    let open = 0
    const server = createServer((socket) => {
      open++
      socket
        .on('error', () => {})
        .on('close', () => open--)
        .resume()
      onOpen(
        (text) => socket.writable && socket.write(text),
        () => socket.destroy(),
        (listener) => socket.on('data', (chunk) => listener(chunk.toString())),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      port: (server.address() as AddressInfo).port,
      open: () => open,
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
    }
  }
})
