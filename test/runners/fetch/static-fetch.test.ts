import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { fetchStatic } from '../../../runners/fetch/static-fetch.ts'
import { MALFORMED_URLS, PRIVATE_URLS } from '../../support/network/addresses.ts'
import { answer, rawServer } from '../../support/network/raw-server.ts'
import { fetcher, sent } from './fetch-helper.ts'

const get = fetcher()

describe('a static fetch', () => {
  test('gives the body, its hash and what the next check needs', async () => {
    const headers = { 'content-type': 'text/html', etag: '"1"', 'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT' }
    await using server = await rawServer(answer('200 OK', 'hello', headers))
    const url = `http://127.0.0.1:${server.port}/a?b=c`
    expect(await get(url)).toEqual({
      ok: true,
      kind: 'body',
      status: 200,
      finalUrl: url,
      redirected: false,
      contentType: 'text/html',
      etag: '"1"',
      lastModified: 'Sat, 21 Nov 2026 10:00:00 GMT',
      body: Buffer.from('hello'),
      bodyHash: createHash('sha256').update('hello').digest().subarray(0, 16),
      wireBytes: 5,
      durationMs: expect.any(Number),
      link: null,
    })
  })

  test('says who it is, and offers no encoding that it does not read', async () => {
    await using server = await rawServer(answer('200 OK', 'x'))
    await get(`http://127.0.0.1:${server.port}/`)
    const [request] = server.requests
    expect(sent(request, 'user-agent')).toBe('Mozilla/5.0 (compatible; Tidemark/0.1)')
    expect(sent(request, 'accept-encoding')).toBe('gzip, deflate, zstd')
    expect(sent(request, 'cookie')).toBeNull()
  })

  test('sends the headers of the user instead of ours, in any case, and never those of the connection', async () => {
    await using server = await rawServer(answer('200 OK', 'x'))
    const headers = {
      'USER-Agent': 'Mine/1',
      'X-Key': 'k',
      Host: 'evil.test',
      Cookie: 'a=b',
      'Accept-Encoding': 'br',
      Expect: '100-continue',
    }
    expect(await get(`http://127.0.0.1:${server.port}/`, { headers })).toMatchObject({ ok: true })
    const [request = ''] = server.requests
    expect(request.match(/^user-agent: .*$/gim)).toEqual(['USER-Agent: Mine/1'])
    expect(sent(request, 'x-key')).toBe('k')
    expect(sent(request, 'host')).toBe(`127.0.0.1:${server.port}`)
    expect(request.match(/^accept-encoding: .*$/gim)).toEqual(['Accept-Encoding: br'])
    expect([sent(request, 'cookie'), sent(request, 'expect')]).toEqual([null, null])
  })

  test.each([
    ['{"a":1}', {}, 'application/json'],
    ['a=1', {}, 'text/plain;charset=UTF-8'],
    ['{"a":1}', { 'content-TYPE': 'text/x-own' }, 'text/x-own'],
  ])('posts %s with the headers %o as %s', async (body, headers, type) => {
    await using server = await rawServer(answer('200 OK', 'x'))
    await get(`http://127.0.0.1:${server.port}/`, { method: 'POST', body, headers })
    expect(sent(server.requests[0], 'content-type')).toBe(type)
    expect(server.requests[0]).toMatch(/^POST [^]*\r\n\r\n/)
    expect(server.requests[0]?.endsWith(body)).toBe(true)
  })

  test('asks conditionally, and takes 304 for an answer', async () => {
    await using server = await rawServer(answer('304 Not Modified', '', { etag: '"2"' }))
    const conditional = { etag: '"1"', lastModified: 'Sat, 21 Nov 2026 10:00:00 GMT' }
    expect(await get(`http://127.0.0.1:${server.port}/`, { conditional })).toMatchObject({
      ok: true,
      kind: 'not_modified',
      etag: '"2"',
      lastModified: conditional.lastModified,
    })
    expect(sent(server.requests[0], 'if-none-match')).toBe('"1"')
    expect(sent(server.requests[0], 'if-modified-since')).toBe(conditional.lastModified)
  })

  test.each([[null], [{ etag: null, lastModified: null }]])(
    'takes a 304 that was not asked for (%o) for a fault',
    async (conditional) => {
      await using server = await rawServer(answer('304 Not Modified'))
      expect(await get(`http://127.0.0.1:${server.port}/`, { conditional })).toMatchObject({
        ok: false,
        status: 304,
        fault: { code: 'http_status' },
      })
    },
  )

  test('forgets validators that cannot be sent back', async () => {
    await using server = await rawServer(
      answer('200 OK', 'x', { etag: `"${'e'.repeat(600)}"`, 'last-modified': 'caf\u00e9' }),
    )
    expect(await get(`http://127.0.0.1:${server.port}/`)).toMatchObject({ etag: null, lastModified: null })
  })

  test.each(['204 No Content', '205 Reset Content', '200 OK'])('takes %s without a body for a fault', async (head) => {
    await using server = await rawServer(answer(head))
    expect(await get(`http://127.0.0.1:${server.port}/`)).toMatchObject({ ok: false, fault: { code: 'empty_body' } })
  })

  test('asks once more when a kept-alive connection is closed under a GET, and never repeats a POST', async () => {
    await using server = await rawServer((socket, request, nth) => {
      if (nth === 2 || request.startsWith('POST')) socket.destroy()
      else answer('200 OK', 'x')(socket, request, nth)
    })
    const url = `http://127.0.0.1:${server.port}/`
    await get(url)
    expect(await get(url)).toMatchObject({ ok: true })
    expect(server.requests).toHaveLength(3)
    expect(await get(url, { method: 'POST', body: 'x' })).toMatchObject({
      ok: false,
      fault: { code: 'connect_failed' },
    })
    expect(server.requests).toHaveLength(4)
  })

  test('ends with the signal', async () => {
    await using server = await rawServer(() => {})
    const stop = new AbortController()
    const fetched = get(`http://127.0.0.1:${server.port}/`, {}, { signal: stop.signal })
    setImmediate(() => stop.abort())
    expect(await fetched).toMatchObject({ ok: false, fault: { code: 'internal' } })
  })
})

describe('the egress guard', () => {
  test('refuse every private and malformed URL without a contact, those of private targets in one voice', async () => {
    const dials: unknown[] = []
    const policy = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
    const agent = createGuardedAgent(policy, {
      open: (options) => {
        dials.push(options)
        throw new Error('dialled')
      },
    })
    const fetchOne = (url: string) =>
      fetchStatic({ url, headers: null, conditional: null }, { agent, signal: null, deadlineMs: 10_000 })
    const malformed = await Promise.all(MALFORMED_URLS.map(fetchOne))
    const literal = PRIVATE_URLS.filter((url) => !url.toLowerCase().includes('metadata.google'))
    const secret = await Promise.all(literal.map(fetchOne))
    await agent.destroy()
    expect(malformed.filter((fetched) => fetched.ok || fetched.fault.code !== 'target_not_allowed')).toEqual([])
    const voices = new Set(
      secret.map((fetched) =>
        fetched.ok ? 'fetched' : JSON.stringify([fetched.fault, fetched.status, fetched.retryAfterMs]),
      ),
    )
    expect([...voices]).toEqual([expect.stringContaining('target_not_allowed')])
    expect(dials).toEqual([])
  })

  test('decide about a private target in the same few milliseconds, whether or not something listens', async () => {
    await using server = await rawServer(answer('200 OK', 'x'))
    const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: [], neverAllow: [] }))
    const times = { open: [] as number[], closed: [] as number[] }
    for (let i = 0; i < 100; i++) {
      const startedAt = performance.now()
      const [port, of] = i % 2 === 0 ? [server.port, times.open] : [1, times.closed]
      await fetchStatic({ url: `http://127.0.0.1:${port}/`, headers: null, conditional: null }, { agent, signal: null })
      of.push(performance.now() - startedAt)
    }
    await agent.destroy()
    expect(server.contacts).toBe(0)
    // The one in the middle: other processes hold up some of them.
    for (const of of Object.values(times)) expect(of.toSorted((a, b) => a - b)[25]).toBeLessThan(20)
  })
})
