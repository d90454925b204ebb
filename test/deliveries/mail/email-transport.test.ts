import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailerTo, sendBy, type Sending } from '../../support/mail/mail-sending.ts'
import { openMailbox, refusal } from '../../support/mail/mailbox.ts'
import { certificate, fixture } from '../../support/network/raw-server.ts'

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

  test('is for the operator to mend when the password is wrong: retried, and neither shown nor logged', async () => {
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
