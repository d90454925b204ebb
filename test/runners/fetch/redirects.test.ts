import { describe, expect, test } from 'vitest'
import { MALFORMED_URLS } from '../../support/network/addresses.ts'
import { answer, certificate, rawServer } from '../../support/network/raw-server.ts'
import type { RawServer } from '../../support/network/raw-server.ts'
import { fetcher, sent } from './fetch-helper.ts'

const get = fetcher()
const STATUSES = [301, 302, 303, 307, 308]

/** `/` redirects to `location`, everything else is a page. */
function redirecting(status: number, location: (port: number) => string): Promise<RawServer> {
  const server = rawServer((socket, request, nth) => {
    if (!/^\w+ \/ /.test(request)) return answer('200 OK', 'there', { etag: '"1"' })(socket, request, nth)
    const port = Number(sent(request, 'host')?.split(':')[1])
    answer(`${status} Moved`, '', { location: location(port) })(socket, request, nth)
  })
  return server
}

describe('a redirect', () => {
  test.each(STATUSES)('by %i is followed, and its answer is never conditional', async (status) => {
    await using server = await redirecting(status, () => '/there?a=b#c')
    const conditional = { etag: '"0"', lastModified: null }
    expect(await get(`http://a.test:${server.port}/`, { conditional })).toMatchObject({
      ok: true,
      redirected: true,
      finalUrl: `http://a.test:${server.port}/there?a=b`,
      etag: null,
      lastModified: null,
    })
    expect(server.requests.map((request) => sent(request, 'if-none-match'))).toEqual(['"0"', null])
  })

  test.each(STATUSES)('by %i to a private target is refused in the voice of a private target', async (status) => {
    for (const url of [
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://169.254.169.254/latest/',
      'http://private.example/',
      'http://0x7f.1:1/',
    ]) {
      await using server = await redirecting(status, () => url)
      const fetched = await get(`http://a.test:${server.port}/`, {}, { deadlineMs: 20_000 })
      const direct = await get(url, {}, { deadlineMs: 20_000 })
      expect(fetched).toMatchObject({ ok: false, fault: direct.ok ? null : direct.fault })
    }
  })

  test('to what the URL check refuses is refused', async () => {
    const locations = MALFORMED_URLS.filter(
      (url) => url.includes(':') && !/[\r\n\0]/.test(url) && url.trim() === url && url.length < 9_000,
    )
    for (const location of locations.filter((url) => !/[^\x00-\xff]/.test(url) && !url.startsWith('source'))) {
      await using server = await redirecting(302, () => location)
      expect(await get(`http://a.test:${server.port}/`), location).toMatchObject({
        ok: false,
        fault: { code: 'bad_redirect' },
      })
    }
  })

  test.each(['', undefined])('without a Location (%j) is a fault', async (location) => {
    await using server = await rawServer(answer('302 Found', '', location === undefined ? {} : { location }))
    expect(await get(`http://a.test:${server.port}/`)).toMatchObject({
      ok: false,
      status: 302,
      fault: { code: 'bad_redirect' },
    })
  })

  test('with a Location in raw UTF-8 is followed as browsers do', async () => {
    await using server = await redirecting(302, () => '/\u00fc')
    expect(await get(`http://a.test:${server.port}/`)).toMatchObject({
      finalUrl: `http://a.test:${server.port}/%C3%BC`,
    })
  })

  test('is followed five times and no more', async () => {
    await using server = await rawServer((socket, request, nth) => {
      const left = Number(/^GET \/(\d+)/.exec(request)?.[1])
      if (left === 0) answer('200 OK', 'there')(socket, request, nth)
      else answer('302 Found', '', { location: `/${left - 1}` })(socket, request, nth)
    })
    expect(await get(`http://a.test:${server.port}/5`)).toMatchObject({ ok: true })
    expect(await get(`http://a.test:${server.port}/6`)).toMatchObject({
      ok: false,
      fault: { code: 'too_many_redirects' },
    })
  })

  test('in a loop ends at once', async () => {
    await using server = await rawServer(answer('302 Found', '', { location: '/' }))
    const fetched = await get(`http://a.test:${server.port}/`)
    expect(fetched).toMatchObject({
      ok: false,
      fault: { code: 'too_many_redirects', message: expect.stringContaining('loop') },
    })
    expect(server.requests).toHaveLength(1)
  })

  test('keeps the headers of the user within the origin', async () => {
    await using server = await redirecting(302, () => '/there')
    await get(`http://a.test:${server.port}/`, { headers: { 'x-api-key': 'k' } })
    expect(server.requests.map((request) => sent(request, 'x-api-key'))).toEqual(['k', 'k'])
  })

  test.each(STATUSES)('by %i takes no header of the user to another origin, nor back again', async (status) => {
    await using home = await redirecting(status, () => `http://b.test:${away.port}/`)
    await using away = await rawServer((socket, request, nth) =>
      answer('302 Found', '', { location: `http://a.test:${home.port}/home` })(socket, request, nth),
    )
    const headers = { Authorization: 'Bearer s3cret', 'X-Api-Key': 's3cret', 'User-Agent': 's3cret' }
    expect(await get(`http://a.test:${home.port}/`, { headers })).toMatchObject({ ok: true })
    expect(home.requests[0]).toContain('s3cret')
    expect([...away.requests, ...home.requests.slice(1)].filter((request) => request.includes('s3cret'))).toEqual([])
    expect(home.requests).toHaveLength(2)
  })

  test('takes no header of the user to another origin that redirects within itself', async () => {
    await using away = await redirecting(302, () => '/there')
    await using home = await redirecting(302, () => `http://b.test:${away.port}/`)
    expect(await get(`http://a.test:${home.port}/`, { headers: { 'x-api-key': 's3cret' } })).toMatchObject({ ok: true })
    expect(away.requests.map((request) => sent(request, 'x-api-key'))).toEqual([null, null])
  })

  test('from https to http is refused while the user has headers, and followed without', async () => {
    await using plain = await rawServer(answer('200 OK', 'x'))
    await using server = await rawServer(
      answer('302 Found', '', { location: `http://a.test:${plain.port}/` }),
      certificate('good'),
    )
    const url = `https://secure.test:${server.port}/`
    expect(await get(url, { headers: { a: 'b' } })).toMatchObject({ ok: false, fault: { code: 'bad_redirect' } })
    expect(plain.contacts).toBe(0)
    expect(await get(url)).toMatchObject({ ok: true })
  })

  test.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'body'],
    [308, 'POST', 'body'],
  ])('by %i turns a POST into a %s with the body %j', async (status, method, body) => {
    await using server = await redirecting(status, () => '/there')
    await get(`http://a.test:${server.port}/`, { method: 'POST', body: 'body' })
    expect(server.requests[1]).toMatch(new RegExp(`^${method} /there [^]*\r\n\r\n${body}$`))
  })

  test.each([307, 308])('by %i takes no body to another origin', async (status) => {
    await using away = await rawServer(answer('200 OK', 'x'))
    await using server = await redirecting(status, () => `http://b.test:${away.port}/`)
    expect(await get(`http://a.test:${server.port}/`, { method: 'POST', body: 'body' })).toMatchObject({
      ok: false,
      fault: { code: 'bad_redirect' },
    })
    expect(away.contacts).toBe(0)
  })

  test('and a request that is asked again share one deadline', async () => {
    const timers: NodeJS.Timeout[] = []
    await using server = await rawServer((socket) => timers.push(setTimeout(() => socket.destroy(), 100)))
    expect(await get(`http://a.test:${server.port}/`, {}, { deadlineMs: 150 })).toMatchObject({
      ok: false,
      fault: { code: 'timeout' },
    })
    timers.forEach(clearTimeout)
  })

  test('does not renew the deadline', async () => {
    const timers: NodeJS.Timeout[] = []
    await using server = await rawServer((socket, request, nth) => {
      timers.push(setTimeout(() => answer('302 Found', '', { location: `/${nth}` })(socket, request, nth), 60))
    })
    expect(await get(`http://a.test:${server.port}/`, {}, { deadlineMs: 150 })).toMatchObject({
      ok: false,
      fault: { code: 'timeout' },
    })
    timers.forEach(clearTimeout)
  })
})
