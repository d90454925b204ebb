import type { Socket } from 'node:net'
import type { Agent } from 'undici'
import { afterAll, describe, expect, test } from 'vitest'
import type { BodyRule, Exchange } from '../../egress/exchange.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import { guardedRequest } from '../../egress/guarded-request.ts'
import type { GuardedRequest } from '../../egress/guarded-request.ts'
import { createPolicy } from '../../egress/policy.ts'
import { answer, rawServer } from '../support/network/raw-server.ts'
import type { RawServer } from '../support/network/raw-server.ts'
import { eventually } from '../support/run/eventually.ts'

const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const agent = createGuardedAgent(policy)
/** For what never answers. All else has the time that a busy machine needs. */
const impatient = createGuardedAgent(policy, { firstByteMs: 100 })
afterAll(() => Promise.all([agent.destroy(), impatient.destroy()]))

function whole(maxBytes = 1_000): () => BodyRule {
  return () => ({ maxBytes, partial: false })
}

function cut(maxBytes: number): () => BodyRule {
  return () => ({ maxBytes, partial: true })
}

function ask(server: RawServer, changes: Partial<GuardedRequest> = {}, through: Agent = agent): Promise<Exchange> {
  return guardedRequest(through, {
    url: new URL(`http://127.0.0.1:${server.port}/`),
    method: 'GET',
    headers: [],
    body: null,
    deadlineMs: 60_000,
    signal: null,
    bodyRule: whole(),
    ...changes,
  })
}

/**
 * As `ask`, with a deadline that ends after the answer has begun. Where it ended before, on a busy machine, the
 * exchange is tried again with more time.
 */
async function askUntilLate(server: RawServer, bodyRule: () => BodyRule): Promise<Exchange> {
  for (const deadlineMs of [100, 1_000, 5_000]) {
    let hasBegun = false
    const begins = (): BodyRule => {
      hasBegun = true
      return bodyRule()
    }
    const exchange = await ask(server, { bodyRule: begins, deadlineMs })
    if (hasBegun) return exchange
  }
  throw new Error('no answer began')
}

function text(exchange: Exchange): string {
  return exchange.ok ? Buffer.concat(exchange.chunks).toString() : exchange.failure.kind
}

describe('a guarded request', () => {
  test('sends method, headers and body as they are, and gives the answer as it came', async () => {
    await using server = await rawServer(answer('201 Created', 'made', { 'x-a': 'b' }))
    const exchange = await ask(server, { method: 'POST', headers: ['X-Own', 'value'], body: '{"a":1}' })
    expect(exchange).toMatchObject({ ok: true, status: 201, headers: { 'x-a': 'b' }, wireBytes: 4, complete: true })
    expect(text(exchange)).toBe('made')
    expect(server.requests[0]).toMatch(/^POST \/ HTTP\/1\.1\r\n[^]*X-Own: value\r\n[^]*\r\n\r\n\{"a":1\}$/)
  })

  test('keeps connections alive', async () => {
    await using server = await rawServer(answer('200 OK', 'x'))
    for (let i = 0; i < 10; i++) await ask(server)
    // Two and not one: undici frees a connection a tick after the answer, and takes another one meanwhile.
    expect(server.contacts).toBeLessThanOrEqual(2)
  })

  test('waits for room in the middle of a large body, and its deadline waits with it', async () => {
    await using server = await rawServer(answer('200 OK', 'x'.repeat(300_000)))
    let asked = 0
    const askWithin = (deadlineMs: number) => {
      const take = () => {
        asked += 1
        return new Promise<void>((resolve) => setTimeout(resolve, deadlineMs + 50))
      }
      return ask(server, { deadlineMs, bodyRule: whole(400_000), large: { bytes: 1_000, take } })
    }
    let exchange = await askWithin(100)
    // On a busy machine the answer may begin too late.
    for (let deadlineMs = 1_000; asked === 0; deadlineMs *= 4) exchange = await askWithin(deadlineMs)
    expect(text(exchange)).toHaveLength(300_000)
    expect(asked).toBe(1)
  })

  test('asks for no room for a small body, and ends while it waits for some', async () => {
    await using server = await rawServer(answer('200 OK', 'x'.repeat(1_000)))
    const stopping = new AbortController()
    const take = () => {
      stopping.abort()
      return new Promise<void>(() => {})
    }
    expect(text(await ask(server, { large: { bytes: 1_000, take } }))).toHaveLength(1_000)
    expect(text(await ask(server, { large: { bytes: 999, take }, signal: stopping.signal }))).toBe('aborted')
  })

  test('takes a body of exactly the limit and none that is a byte longer, announced or not', async () => {
    const chunked = { 'transfer-encoding': 'chunked' }
    await using exact = await rawServer(answer('200 OK', 'x'.repeat(1_000)))
    await using longer = await rawServer(answer('200 OK', 'x'.repeat(1_001)))
    await using drawn = await rawServer(answer('200 OK', `3e9\r\n${'x'.repeat(1_001)}\r\n0\r\n\r\n`, chunked))
    expect(text(await ask(exact))).toHaveLength(1_000)
    expect(text(await ask(longer))).toBe('too_large')
    expect(text(await ask(drawn))).toBe('too_large')
  })

  test('stops reading at the limit and still answers where a part is enough', async () => {
    await using server = await rawServer((socket, ...rest) =>
      answer('500 Broken', 'x'.repeat(1_000), { 'content-length': '5000000' })(socket, ...rest),
    )
    const exchange = await ask(server, { bodyRule: cut(10) })
    expect(exchange).toMatchObject({ ok: true, status: 500, wireBytes: 10, complete: false })
    expect(text(exchange)).toBe('x'.repeat(10))
  })

  test('counts an answer from its headers on where a part is enough, though the body never ends', async () => {
    await using slow = await rawServer(answer('200 OK', 'x', { 'content-length': '2' }))
    await using torn = await rawServer((socket, ...rest) => {
      answer('200 OK', 'x', { 'content-length': '2' })(socket, ...rest)
      socket.end()
    })
    expect(await askUntilLate(slow, cut(10))).toMatchObject({
      ok: true,
      status: 200,
      complete: false,
    })
    expect(await ask(torn, { bodyRule: cut(10) })).toMatchObject({ ok: true, status: 200, complete: false })
  })

  test('ends a drip at the deadline, which no byte postpones', async () => {
    const timers: NodeJS.Timeout[] = []
    await using server = await rawServer((socket) => {
      // More than is ever dripped: a deadline that a byte postpones never comes.
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
      timers.push(setInterval(() => socket.write('x'), 5))
    })
    expect(await askUntilLate(server, whole(1_000_000))).toEqual({
      ok: false,
      status: 200,
      failure: { kind: 'timeout', phase: 'body', limit: 'total' },
    })
    timers.forEach(clearInterval)
  })

  test('ends a drip of headers', async () => {
    const timers: NodeJS.Timeout[] = []
    await using server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      timers.push(setInterval(() => socket.write('x'), 5))
    })
    expect(await ask(server, {}, impatient)).toMatchObject({
      ok: false,
      status: null,
      failure: { kind: 'timeout', phase: 'first_byte' },
    })
    timers.forEach(clearInterval)
  })

  test('ends a flood of interim answers, and puts up with a few', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
    await using flood = await rawServer((socket) => socket.write(hint.repeat(1_000)))
    await using few = await rawServer((socket, ...rest) => {
      socket.write(hint.repeat(10))
      answer('200 OK', 'x')(socket, ...rest)
    })
    expect(text(await ask(flood))).toBe('bad_http')
    expect(text(await ask(few))).toBe('x')
  })

  test('waits for the first byte no longer than the agent is set to', async () => {
    await using server = await rawServer(() => {})
    const exchange = await ask(server, {}, impatient)
    expect(exchange).toEqual({
      ok: false,
      status: null,
      failure: { kind: 'timeout', phase: 'first_byte', limit: 'idle' },
    })
  })

  test('refuses headers beyond 16 KiB', async () => {
    await using server = await rawServer(answer('200 OK', 'x', { 'x-long': 'x'.repeat(17_000) }))
    expect(text(await ask(server))).toBe('headers_too_large')
  })

  test.each([
    ['nothing', '', 'closed'],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-', 'closed'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 'closed'],
    ['half a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf', 'closed'],
    ['a greeting of another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', 'bad_http'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx', 'closed'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
      'closed',
    ],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'closed',
    ],
  ])('names it when the server sends %s', async (_what, bytes, kind) => {
    await using server = await rawServer((socket) => socket.end(bytes))
    expect(text(await ask(server))).toBe(kind)
  })

  test('ends when its signal aborts: before it began, while it waits, and while it reads', async () => {
    await using silent = await rawServer(() => {})
    await using slow = await rawServer(answer('200 OK', 'x', { 'content-length': '2' }))
    expect(text(await ask(silent, { signal: AbortSignal.abort() }))).toBe('aborted')
    expect(silent.contacts).toBe(0)
    const stop = new AbortController()
    const exchanges = [silent, slow].flatMap((server) =>
      Array.from({ length: 20 }, () => ask(server, { signal: stop.signal })),
    )
    setImmediate(() => stop.abort())
    expect((await Promise.all(exchanges)).map(text)).toEqual(Array(40).fill('aborted'))
  })

  test('ends at its deadline while it waits for a connection', async () => {
    await using server = await rawServer(() => {})
    const narrow = createGuardedAgent(policy, { connections: 1 })
    const first = ask(server, {}, narrow)
    const late = await ask(server, { deadlineMs: 50 }, narrow)
    await narrow.destroy()
    expect((await first).ok).toBe(false)
    expect(late).toMatchObject({ ok: false, failure: { kind: 'timeout', phase: 'connect', limit: 'total' } })
  })

  test('is never sent once it has ended while it waited for a connection', async () => {
    const waiting: Socket[] = []
    await using server = await rawServer((socket, request, nth) => {
      if (nth === 1) waiting.push(socket)
      else answer('200 OK', 'x')(socket, request, nth)
    })
    const narrow = createGuardedAgent(policy, { connections: 1 })
    const url = (path: string) => new URL(`http://127.0.0.1:${server.port}${path}`)
    const first = ask(server, { url: url('/first') }, narrow)
    await eventually(
      () => waiting.length,
      (count) => count === 1,
    )
    expect(text(await ask(server, { url: url('/late'), deadlineMs: 50 }, narrow))).toBe('timeout')
    const third = ask(server, { url: url('/third') }, narrow)
    for (const socket of waiting) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx')
    expect([text(await first), text(await third)]).toEqual(['x', 'x'])
    await narrow.destroy()
    expect(server.requests.map((request) => request.split(' ')[1])).toEqual(['/first', '/third'])
  })

  test('is a failure and not a throw when the agent is closed', async () => {
    await using server = await rawServer(answer('200 OK', 'x'))
    const closed = createGuardedAgent(policy)
    await closed.close()
    expect((await ask(server, {}, closed)).ok).toBe(false)
  })
})
