import { createServer, type AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../../deliveries/channel.ts'
import { createEmailChannel } from '../../deliveries/email.ts'
import { parseMailServer } from '../../deliveries/mail-server.ts'
import { createMailer, type Mailer } from '../../deliveries/mailer.ts'
import { certificate, fixture } from '../runners/guard/raw-server.ts'
import { LINKS, type Mailbox, openMailbox, payloadOf, refusal, RUN_URL } from './mailbox.ts'
import { eventually } from './outbox.ts'

const ID = '01a1fdda-7d9b-7133-82bc-55eff54399c9'
const FROM = 'watch@tide.example'

function mailerTo(url: string, connections = 5): Mailer & Disposable {
  const parsed = parseMailServer(url)
  if (!parsed.ok) throw new Error(parsed.message)
  const mailer = createMailer({ server: parsed.server, from: FROM, connections })
  return { ...mailer, [Symbol.dispose]: () => mailer.close() }
}

interface Sending {
  readonly to?: string
  readonly payload?: object
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  readonly log?: string[]
}

function sendBy(mailer: Mailer | null, sending: Sending = {}): Promise<AttemptOutcome> {
  const {
    to = 'ada@example.com',
    payload = payloadOf({ price: ['$19.99', '$17.49'] }),
    deadlineMs = 5_000,
    log = [],
  } = sending
  const write = (fields: object, message: string) => void log.push(`${message} ${JSON.stringify(fields)}`)
  return createEmailChannel({ mailer, links: LINKS, deadlineMs }).send(
    { id: ID, config: { type: 'email', to }, payload: JSON.stringify(payload), secrets: [] },
    { signal: sending.signal ?? new AbortController().signal, log: { info: write, warn: write, error: write } },
  )
}

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
      message: expect.stringContaining('not an address'),
    })
    expect(mailbox.contacts).toBe(0)
  })

  test.each([
    ['Kettle\r\nBcc: c@z.test\r\n\r\nhello', 'Kettle Bcc: c@z.test hello: a 1 → 2 (+100 %)'],
    ['Ke\u0000ttle\u2028\u202eevil', 'Kettle evil: a 1 → 2 (+100 %)'],
    ['غلاية 🫖', '\u2068غلاية 🫖\u2069: a 1 → 2 (+100 %)'],
    ['=?utf-8?Q?=0D=0ABcc:_c@z.test?=', '=?utf-8?Q?=0D=0ABcc:_c@z.test?=: a 1 → 2 (+100 %)'],
    ['"quoted" <b@z.test>, x', '"quoted" <b@z.test>, x: a 1 → 2 (+100 %)'],
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
    expect(performance.now() - before).toBeLessThan(1_500)
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

describe('the way to the mail server', () => {
  const trusted = getCACertificates('default')
  beforeAll(() => setDefaultCACertificates([...trusted, fixture('authority.pem')]))
  afterAll(() => setDefaultCACertificates(trusted))

  const auth = (user: string, pass: string): Parameters<typeof openMailbox>[0] => ({
    onAuth: (given, _session, done) =>
      given.username === user && given.password === pass ? done(null, { user }) : done(refusal(535, 'wrong password')),
  })
  const good = certificate('good') as { cert: string; key: string }
  const sendTo = async (url: string, sending?: Sending) => {
    using mailer = mailerTo(url)
    return await sendBy(mailer, sending)
  }

  test('is TLS from the first byte with smtps, and STARTTLS where it is offered with smtp', async () => {
    await using secure = await openMailbox({ ...good, secure: true })
    expect(await sendTo(`smtps://127.0.0.1:${secure.port}`)).toMatchObject({ status: 250 })
    await using upgraded = await openMailbox(good)
    expect(await sendTo(`smtp://127.0.0.1:${upgraded.port}`)).toMatchObject({ status: 250 })
    expect([secure.letters[0]?.isSecure, upgraded.letters[0]?.isSecure]).toEqual([true, true])
  })

  test.each(['self-signed', 'expired'])(
    'ends at a certificate that is %s, unless the address says that it may be',
    async (name) => {
      await using mailbox = await openMailbox({ ...(certificate(name) as typeof good), secure: true })
      const log: string[] = []
      const outcome = await sendTo(`smtps://127.0.0.1:${mailbox.port}`, { log })
      expect(outcome).toMatchObject({ kind: 'no_answer', message: expect.stringContaining('certificate') })
      expect(log).toEqual([expect.stringContaining('"reason":"tls"')])
      expect(mailbox.letters).toHaveLength(0)
      expect(await sendTo(`smtps://127.0.0.1:${mailbox.port}?tls.rejectUnauthorized=false`)).toMatchObject({
        status: 250,
      })
    },
  )

  test('ends where smtps is asked of a server that speaks no TLS', async () => {
    await using mailbox = await openMailbox()
    expect(await sendTo(`smtps://127.0.0.1:${mailbox.port}`)).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('smtp or smtps'),
    })
  })

  test('logs in with the user name and password of the address', async () => {
    await using mailbox = await openMailbox({ ...good, ...auth('ada@x', 'p:@/%ss') })
    expect(await sendTo(`smtp://ada%40x:p%3A%40%2F%25ss@127.0.0.1:${mailbox.port}`)).toMatchObject({ status: 250 })
    expect(mailbox.letters[0]).toMatchObject({ user: 'ada@x', isSecure: true })
  })

  test('never carries a password without TLS, unless the address says that it may', async () => {
    await using mailbox = await openMailbox(auth('ada', 'secret'))
    const address = `smtp://ada:secret@127.0.0.1:${mailbox.port}`
    expect(await sendTo(address)).toMatchObject({ kind: expect.stringMatching(/no_answer|answered/) })
    expect(mailbox.letters).toHaveLength(0)
    expect(await sendTo(`${address}?ignoreTLS=true`)).toMatchObject({ status: 250 })
    expect(mailbox.letters[0]?.user).toBe('ada')
  })

  test('is for the operator to mend when the password is wrong: tried again, and neither shown nor logged', async () => {
    await using mailbox = await openMailbox({ ...good, ...auth('ada', 'right') })
    const log: string[] = []
    const outcome = await sendTo(`smtp://ada:wrong-one@127.0.0.1:${mailbox.port}`, { log })
    expect(outcome).toMatchObject({
      kind: 'answered',
      verdict: 'server_error',
      status: 535,
      body: expect.stringMatching(/SMTP_URL.*535 wrong password/),
    })
    expect(log).toEqual([expect.stringContaining('"reason":"login"')])
    expect(JSON.stringify([outcome, log])).not.toContain('wrong-one')
  })
})
