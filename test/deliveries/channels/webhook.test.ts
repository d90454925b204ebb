import fc from 'fast-check'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import type { AttemptOutcome, Message } from '../../../deliveries/channels/channel.ts'
import { createWebhookChannel } from '../../../deliveries/channels/webhook.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { closedPort, openReceiver, reply, type Received, type Reply } from '../../support/worker/receiver.ts'
import { verifier } from '../../support/worker/signature-verifier.ts'

const SECRET = 'a'.repeat(64)
const OLD_SECRET = 'b'.repeat(64)
const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }))
afterAll(() => agent.destroy())

interface Sending {
  readonly payload?: string
  readonly headers?: Record<string, string>
  readonly secrets?: readonly string[]
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
}

const quiet = { info: () => {}, warn: () => {}, error: () => {} }

function send(url: string, sending: Sending = {}): Promise<AttemptOutcome> {
  const { payload = '{}', headers, secrets = [SECRET], deadlineMs = 5_000, signal } = sending
  const message: Message<'webhook'> = {
    id: '01a1fdda-7d9b-7133-82bc-55eff54399c9',
    team: 't',
    config: { type: 'webhook', url, ...(headers && { headers }) },
    payload,
    secrets,
  }
  return createWebhookChannel({ agent, deadlineMs }).send(message, {
    signal: signal ?? new AbortController().signal,
    log: quiet,
  })
}

async function answerTo(onRequest: Reply, sending?: Sending): Promise<AttemptOutcome> {
  await using receiver = await openReceiver(onRequest)
  return await send(receiver.url, sending)
}

async function received(sending: Sending): Promise<Received> {
  await using receiver = await openReceiver()
  await send(receiver.url, sending)
  const [request] = receiver.requests
  if (request === undefined) throw new Error('nothing was received')
  return request
}

describe('the request of a webhook', () => {
  test('carries the signature, the service as user agent, JSON as type and the configured headers', async () => {
    const { headers } = await received({ headers: { 'X-Team': 'blue', accept: 'text/plain' } })
    expect(headers.get('service-signature')).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/)
    expect(headers.get('user-agent')).toBe('Service/1.0')
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('x-team')).toBe('blue')
    expect(headers.get('accept')).toBe('text/plain')
  })

  test('has our values for the headers that are ours, whatever is configured and in whatever case', async () => {
    const { headers } = await received({
      headers: { 'SERVICE-signature': 't=1,v1=00', 'user-AGENT': 'curl', 'CONTENT-type': 'text/plain' },
    })
    expect(headers.get('service-signature')).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/)
    expect(headers.get('user-agent')).toBe('Service/1.0')
    expect(headers.get('content-type')).toBe('application/json')
  })

  test('never has a configured header of the connection', async () => {
    const names = [
      'Host',
      'Content-Length',
      'Transfer-Encoding',
      'Connection',
      'Expect',
      'Upgrade',
      'Keep-Alive',
      'TE',
      'Proxy-Authorization',
      'Cookie',
    ]
    const { headers, body } = await received({
      headers: Object.fromEntries(names.map((name) => [name, 'x'])),
      payload: '{"a":1}',
    })
    expect(headers.get('host')).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(headers.get('content-length')).toBe('7')
    for (const name of ['transfer-encoding', 'expect', 'upgrade', 'te', 'proxy-authorization', 'cookie'])
      expect(headers.has(name)).toBe(false)
    expect(body.toString()).toBe('{"a":1}')
  })

  test('has the signature that an independent verifier accepts, over exactly the bytes that were sent', async () => {
    await using receiver = await openReceiver()
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom('', '\r\n\r\n', '👩‍👩‍👧‍👦 ünï', '\u2028', 'x'.repeat(1_000_000)),
    )
    await fc.assert(
      fc.asyncProperty(fc.record({ text }), async (value) => {
        const payload = JSON.stringify(value)
        expect(await send(receiver.url, { payload })).toMatchObject({ kind: 'answered', status: 200 })
        const { body, headers } = receiver.requests.at(-1) ?? {
          body: Buffer.alloc(0),
          headers: new Map<string, string>(),
        }
        expect(body.equals(Buffer.from(payload))).toBe(true)
        expect(verifier?.verifyHeader(body, headers.get('service-signature') ?? '', SECRET, 300)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test('is refused by an independent verifier when one byte differs or the secret is another', async () => {
    const { body, headers } = await received({ payload: '{"price":"1"}' })
    const header = headers.get('service-signature') ?? ''
    expect(() => verifier?.verifyHeader('{"price":"2"}', header, SECRET, 300)).toThrow('No signatures found matching')
    expect(() => verifier?.verifyHeader(body, header, OLD_SECRET, 300)).toThrow('No signatures found matching')
  })

  test('is signed with both secrets while two are valid, the new one first', async () => {
    const { body, headers } = await received({ secrets: [SECRET, OLD_SECRET] })
    const header = headers.get('service-signature') ?? ''
    expect(verifier?.verifyHeader(body, header, SECRET, 300)).toBe(true)
    expect(verifier?.verifyHeader(body, header, OLD_SECRET, 300)).toBe(true)
    expect(verifier?.verifyHeader(body, header.replace(/,v1=[^,]*$/, ''), SECRET, 300)).toBe(true)
  })
})

describe('the answer to a webhook', () => {
  test.each([
    200, 201, 204, 299, 300, 301, 302, 303, 304, 307, 308, 399, 400, 401, 404, 408, 410, 422, 429, 499, 500, 502, 503,
    599,
  ])('with status %i is given as it is, after one request', async (status) => {
    await using elsewhere = await openReceiver()
    await using receiver = await openReceiver(reply(status, '', { location: elsewhere.url }))
    expect(await send(receiver.url)).toMatchObject({ kind: 'answered', status })
    expect(receiver.requests).toHaveLength(1)
    expect(elsewhere.contacts).toBe(0)
  })

  test('counts once its headers are there, even if its body never ends', async () => {
    const outcome = await answerTo(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        const timer = setInterval(() => socket.write('1\r\nx\r\n'), 10)
        socket.on('close', () => clearInterval(timer))
      },
      { deadlineMs: 1_500 },
    )
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 })
    expect(outcome.kind === 'answered' && outcome.body).toMatch(/^x+$/)
  })

  test('is read up to 64 KiB and kept up to 4,096 characters', async () => {
    let written = 0
    const outcome = await answerTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const chunk = `10000\r\n${'y'.repeat(0x10000)}\r\n`
      const more = (): void => {
        while (!socket.destroyed && written < 200e6 && socket.write(chunk)) written += 0x10000
        if (!socket.destroyed) socket.once('drain', more)
      }
      more()
    })
    expect(outcome).toEqual({ kind: 'answered', status: 200, body: 'y'.repeat(4096) })
    expect(written).toBeLessThan(50e6)
  })

  test.each([
    ['NUL and control characters', Buffer.from('a\0b\x1b[31mc\r\n\td'), 'a\ufffdb\ufffd[31mc\r\n\td'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0xc3]), 'a\ufffd\ufffd\ufffd'],
    ['a surrogate in CESU-8', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 'a\ufffd\ufffd\ufffd'],
    ['an emoji across the 4,096th character', Buffer.from(`${'x'.repeat(4095)}😀tail`), `${'x'.repeat(4095)}\ufffd`],
    ['three-byte characters', Buffer.from('€'.repeat(5000)), '€'.repeat(4096)],
  ])('is kept as text that can be stored: %s', async (_, body, expected) => {
    expect(await answerTo(reply(200, body))).toEqual({ kind: 'answered', status: 200, body: expected })
  })

  test('is not unpacked when it has a content encoding', async () => {
    const outcome = await answerTo(reply(500, Buffer.alloc(1000, 1), { 'content-encoding': 'gzip' }))
    expect(outcome).toMatchObject({ kind: 'answered', status: 500, body: expect.stringContaining('content encoding') })
  })

  test('counts when the connection is reset within its body', async () => {
    const outcome = await answerTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.resetAndDestroy())
    })
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 })
  })
})

describe('a destination that does not answer', () => {
  const cases: readonly (readonly [string, Reply, RegExp])[] = [
    ['closes without a word', (socket) => socket.end(), /closed the connection/],
    ['resets the connection', (socket) => socket.resetAndDestroy(), /closed the connection/],
    [
      'resets within its headers',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a: ', () => socket.resetAndDestroy()),
      /closed the connection/,
    ],
    ['never begins', () => {}, /did not answer in time/],
    ['drips its headers', drip, /did not answer in time/],
    [
      'sends interim answers for ever',
      (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)),
      /not valid HTTP/,
    ],
    ['speaks something else', (socket) => socket.write('220 mail.example ESMTP\r\n'), /not valid HTTP/],
    [
      'gives two lengths',
      (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
      /not valid HTTP|closed the connection/,
    ],
    ['sends 20 KiB of headers', reply(200, '', { 'x-long': 'x'.repeat(20_000) }), /headers/],
  ]

  test.each(cases)('%s: the outcome says so, after one request', async (_, onRequest, message) => {
    await using receiver = await openReceiver(onRequest)
    expect(await send(receiver.url, { deadlineMs: 300 })).toEqual({
      kind: 'no_answer',
      message: expect.stringMatching(message),
    })
    expect(receiver.requests).toHaveLength(1)
  })

  test('refuses the connection: the outcome says so', async () => {
    expect(await send(await closedPort())).toEqual({
      kind: 'no_answer',
      message: expect.stringContaining('refused the connection'),
    })
  })

  test('has a name that does not exist: the outcome says so', async () => {
    expect(await send('http://no-such-host.invalid/')).toMatchObject({
      kind: 'no_answer',
      message: expect.stringMatching(/no host named|name servers/),
    })
  })

  test('does not speak TLS: the outcome says so', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('does not speak TLS'),
    })
    server.close()
  })

  function drip(...[socket]: Parameters<Reply>): void {
    socket.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket.write('x: y\r\n'), 20)
    socket.on('close', () => clearInterval(timer))
  }
})

describe('a webhook that is not sent', () => {
  test.each([
    '10.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    'localhost',
    '127.1',
    '2130706433',
    '[fd00:ec2::254]',
    '[64:ff9b::7f00:1]',
  ])('to %s makes no contact, and is an attempt without an answer', async (host) => {
    await using receiver = await openReceiver()
    const walled = createGuardedAgent(createPolicy({ allowPrivateCidrs: [], neverAllow: [] }), {
      open: () => {
        throw new Error('a socket was opened')
      },
    })
    const message: Message<'webhook'> = {
      id: 'x',
      team: 't',
      config: { type: 'webhook', url: `http://${host}:${receiver.port}/` },
      payload: '{}',
      secrets: [SECRET],
    }
    const outcome = await createWebhookChannel({ agent: walled }).send(message, {
      signal: new AbortController().signal,
      log: quiet,
    })
    await walled.destroy()
    expect(outcome).toEqual({ kind: 'no_answer', message: expect.stringContaining('is not allowed') })
    expect(receiver.contacts).toBe(0)
  })

  test('because its address is no web address ends for good', async () => {
    expect(await send('file:///etc/passwd')).toMatchObject({ kind: 'impossible' })
    expect(await send('http://user:pass@127.0.0.1/')).toMatchObject({ kind: 'impossible' })
  })

  test('because its monitor has no secret ends for good, unsigned it never goes', async () => {
    await using receiver = await openReceiver()
    expect(await send(receiver.url, { secrets: [] })).toMatchObject({ kind: 'impossible' })
    expect(receiver.contacts).toBe(0)
  })

  test('because the process has to end counts as nothing', async () => {
    const ending = new AbortController()
    expect(await answerTo(() => ending.abort(), { signal: ending.signal })).toEqual({ kind: 'aborted' })
  })
})

describe('an answer that echoes the request', () => {
  const TOKEN = 'Bearer s3cr3t"with\\quotes'
  const echoOf =
    (write: (request: Received) => string): Reply =>
    (socket, request, nth) =>
      reply(200, write(request))(socket, request, nth)
  const everything = (request: Received) =>
    JSON.stringify({ path: request.path, headers: Object.fromEntries(request.headers) })

  test('is kept without header values, the signature, or values of the query', async () => {
    await using receiver = await openReceiver(echoOf(everything))
    const url = `${receiver.url}/0123456789abcdefTOKEN?key=hidden-key&plain=a%2Fb%2Fc%2Fd&n=1`
    const outcome = await send(url, { headers: { Authorization: TOKEN, 'X-Short': 'blue' } })
    const body = outcome.kind === 'answered' ? (outcome.body ?? '') : ''
    const signature = receiver.requests[0]?.headers.get('service-signature') ?? ''
    for (const secret of ['s3cr3t', 'hidden-key', 'a%2Fb', '0123456789abcdefTOKEN', signature.slice(-64)])
      expect(body).not.toContain(secret)
    expect(body).toContain('"authorization":"[hidden]"')
    expect(body).toContain('/hook/[hidden]?key=[hidden]')
    expect(body).toContain('"x-short":"blue"')
  })

  test('shows neither a token without its scheme nor a part of one where the text is cut off', async () => {
    const token = 'abcdefghijklmnopqrstuvwxyz'.repeat(4)
    const headers = { Authorization: `Bearer ${token}` }
    for (const before of [0, 4_085, 4_090, 4_095, 16_300]) {
      const outcome = await answerTo(reply(200, `${'.'.repeat(before)}${token}`.repeat(3)), { headers })
      const body = outcome.kind === 'answered' ? (outcome.body ?? '') : ''
      expect(body).not.toContain('abcdef')
      expect(body.length).toBeLessThanOrEqual(4_096)
    }
    const said = await answerTo(reply(401, 'Missing Bearer'), { headers })
    expect(said).toMatchObject({ body: 'Missing Bearer' })
    const cut = await answerTo(reply(200, token.repeat(700)), { headers })
    expect(cut).toMatchObject({ kind: 'answered', body: expect.not.stringContaining('abcdef') })
  })
})
