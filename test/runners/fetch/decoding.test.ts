import { createHash } from 'node:crypto'
import zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bodySlots } from '../../../runners/capacity.ts'
import { BodyRoom } from '../../../runners/fetch/body-room.ts'
import type { Fetched, FetchPorts } from '../../../runners/fetch/fetched.ts'
import { answer, rawServer } from '../../support/network/raw-server.ts'
import { fetcher } from './fetch-helper.ts'

const get = fetcher()
const page = Buffer.from('<p>tidemark</p>'.repeat(2_000))
const large = Buffer.from(Array.from({ length: 200_000 }, (_, i) => `<li>${i}</li>`).join(''))
const MIB = 1024 * 1024

async function fetchEncoded(body: Uint8Array, encoding: string, ports: Partial<FetchPorts> = {}): Promise<Fetched> {
  await using server = await rawServer(answer('200 OK', body, { 'content-encoding': encoding }))
  return await get(`http://a.test:${server.port}/`, {}, ports)
}

function code(fetched: Fetched): string {
  return fetched.ok ? fetched.kind : fetched.fault.code
}

describe('a packed body', () => {
  test.each([
    ['gzip', zlib.gzipSync(page)],
    ['x-gzip', zlib.gzipSync(page)],
    ['GZIP', zlib.gzipSync(page)],
    ['deflate', zlib.deflateSync(page)],
    ['deflate', zlib.deflateRawSync(page)],
    ['zstd', zlib.zstdCompressSync(page)],
    ['gzip, zstd', zlib.zstdCompressSync(zlib.gzipSync(page))],
    ['identity', page],
    ['', page],
  ])('in %s is read, and hashed as it was before', async (encoding, body) => {
    const fetched = await fetchEncoded(body, encoding)
    expect(fetched).toMatchObject({
      ok: true,
      wireBytes: body.length,
      bodyHash: createHash('sha256').update(page).digest().subarray(0, 16),
    })
    expect(fetched.ok && fetched.kind === 'body' && page.equals(fetched.body)).toBe(true)
  })

  test.each([
    ['gzip', zlib.gzipSync(large)],
    ['deflate', zlib.deflateSync(large)],
    ['zstd', zlib.zstdCompressSync(large)],
  ])('in %s of megabytes is read whole', async (encoding, body) => {
    const fetched = await fetchEncoded(body, encoding)
    expect(fetched.ok && fetched.kind === 'body' && large.equals(fetched.body)).toBe(true)
  })

  test('that may become large takes room first, however small it is, and others take none', async () => {
    const roomOf = async (body: Uint8Array, encoding: string) => {
      const slots = bodySlots(1)
      const room = new BodyRoom(slots, '', new AbortController().signal)
      await fetchEncoded(body, encoding, { room })
      return slots.held
    }
    expect(await roomOf(zlib.gzipSync(Buffer.alloc(9 * MIB)), 'gzip')).toBe(1)
    expect(await roomOf(zlib.gzipSync(page), 'gzip')).toBe(0)
    expect(await roomOf(page, 'identity')).toBe(0)
  })

  test('that is fetched after a wait for room has a duration without that wait', async () => {
    const room = new BodyRoom(bodySlots(1), '', new AbortController().signal)
    room.waitedMs = 60_000
    expect((await fetchEncoded(page, 'identity', { room })).durationMs).toBeGreaterThanOrEqual(0)
  })

  test.each([
    ['gzip', Buffer.concat([zlib.gzipSync(page), zlib.gzipSync(page)])],
    ['zstd', Buffer.concat([zlib.zstdCompressSync(page), zlib.zstdCompressSync(page)])],
  ])('in several %s parts is read to the last of them', async (encoding, body) => {
    const fetched = await fetchEncoded(body, encoding)
    expect(fetched.ok && fetched.kind === 'body' && fetched.body.length).toBe(page.length * 2)
  })

  test.each([
    ['gzip cut off', 'gzip', zlib.gzipSync(page).subarray(0, -20)],
    ['deflate cut off', 'deflate', zlib.deflateSync(page).subarray(0, -1)],
    ['zstd cut off', 'zstd', zlib.zstdCompressSync(page).subarray(0, -1)],
    ['gzip that is none', 'gzip', page],
    ['deflate that is none', 'deflate', Buffer.from('hello')],
    ['zstd that is none', 'zstd', page],
    ['gzip with garbage behind it', 'gzip', Buffer.concat([zlib.gzipSync(page), page])],
    ['zstd with garbage behind it', 'zstd', Buffer.concat([zlib.zstdCompressSync(page), page])],
    [
      'zstd with a window of 128 MiB',
      'zstd',
      zlib.zstdCompressSync(Buffer.alloc(20 * MIB), { params: { [zlib.constants.ZSTD_c_windowLog]: 27 } }),
    ],
    ['zstd in a thousand frames', 'zstd', Buffer.concat(Array<Buffer>(1_000).fill(zlib.zstdCompressSync('x')))],
    ['three layers', 'gzip, gzip, gzip', zlib.gzipSync(zlib.gzipSync(zlib.gzipSync(page)))],
    ['brotli', 'br', zlib.brotliCompressSync(page)],
    ['brotli below gzip', 'br, gzip', zlib.gzipSync(zlib.brotliCompressSync(page))],
    ['an unknown one', 'compress', page],
  ])('is refused: %s', async (_what, encoding, body) => {
    expect(code(await fetchEncoded(body, encoding))).toBe('bad_encoding')
  })

  test('that unpacks to nothing is an empty body', async () => {
    expect(code(await fetchEncoded(zlib.gzipSync(''), 'gzip'))).toBe('empty_body')
    expect(code(await fetchEncoded(Buffer.alloc(0), 'gzip'))).toBe('empty_body')
  })

  test.each([
    ['gzip', zlib.gzipSync(Buffer.alloc(10 * MIB)), zlib.gzipSync(Buffer.alloc(10 * MIB + 1))],
    ['zstd', zlib.zstdCompressSync(Buffer.alloc(10 * MIB)), zlib.zstdCompressSync(Buffer.alloc(10 * MIB + 1))],
  ])('in %s may unpack to 10 MiB and not to a byte more', async (encoding, exact, over) => {
    expect(code(await fetchEncoded(exact, encoding))).toBe('body')
    expect(code(await fetchEncoded(over, encoding))).toBe('too_large')
  })

  test.each([
    ['gzip', (bytes: Buffer) => zlib.gzipSync(bytes, { level: 1 })],
    ['deflate', (bytes: Buffer) => zlib.deflateSync(bytes, { level: 1 })],
    ['zstd', (bytes: Buffer) => zlib.zstdCompressSync(bytes)],
    ['gzip, zstd', (bytes: Buffer) => zlib.zstdCompressSync(zlib.gzipSync(bytes, { level: 1 }))],
  ])('of 500 MiB in %s is stopped near the limit, in time and memory', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(500 * MIB))
    const before = process.memoryUsage.rss()
    const started = process.cpuUsage()
    expect(code(await fetchEncoded(bomb, encoding))).toBe('too_large')
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1_000).toBeLessThan(2_000)
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * MIB)
  })

  test('is counted on the wire too: 10 MiB, and not a byte more', async () => {
    const exact = Buffer.alloc(10 * MIB, 'x')
    await using fits = await rawServer(answer('200 OK', exact))
    await using over = await rawServer(answer('200 OK', Buffer.concat([exact, Buffer.from('x')])))
    expect(code(await get(`http://a.test:${fits.port}/`))).toBe('body')
    expect(code(await get(`http://a.test:${over.port}/`))).toBe('too_large')
  })
})
