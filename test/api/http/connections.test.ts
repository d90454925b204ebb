import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { answerClientError } from '../../../api/http/client-error.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { eventually } from '../../support/run/eventually.ts'

let api: TestApi | undefined
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await api?.close()
  api = undefined
})

async function open(port: number, options: { allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, ...options })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Everything that arrives until the connection ends. */
async function read(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

const portOf = (address: string) => Number(new URL(address).port)
const ALIVE = 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'

describe('the connections of one address', () => {
  test('have a limit; one beyond it is refused with the reason, and closing one makes room', async () => {
    api = await createTestApi({ connectionsPerAddress: 3 })
    const port = portOf(await api.listen())
    const [first] = [await open(port), await open(port), await open(port)]
    const answer = await read(await open(port))
    expect(answer).toMatch(/^HTTP\/1\.1 429 .*Too many connections/s)
    first.destroy()
    // The server learns of the end a moment later.
    await eventually(
      async () => {
        const socket = await open(port)
        socket.write(ALIVE)
        return read(socket)
      },
      (text) => text.startsWith('HTTP/1.1 200 '),
    )
  })

  test('beyond the limit reach no route: the refused request has no effect, and one answer', async () => {
    let refused = 0
    api = await createTestApi({ connectionsPerAddress: 1, onRefused: () => (refused += 1) })
    const { api_key: key } = await api.owner()
    const base = await api.listen()
    const first = await open(portOf(base))
    const body = JSON.stringify({
      name: 'Refused',
      url: 'https://example.com/',
      schedule_interval_seconds: 60,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
    })
    const head = `POST /v1/monitors HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n`
    const socket = await open(portOf(base))
    socket.write(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    const answer = await read(socket)
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 429'])
    expect(refused).toBe(1)
    first.destroy()
    expect((await api.call(key, 'GET', '/v1/monitors')).body).toMatchObject({ data: [] })
  })

  test('have no limit where the address is that of a trusted proxy', async () => {
    api = await createTestApi({ connectionsPerAddress: 2, trustedProxies: ['127.0.0.0/8'] })
    const port = portOf(await api.listen())
    for (let count = 0; count < 10; count += 1) await open(port)
    const socket = await open(port)
    socket.write(ALIVE)
    expect(await read(socket)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

test.each(['ERR_HTTP_REQUEST_TIMEOUT', 'HPE_HEADER_OVERFLOW', 'HPE_INVALID_METHOD'])(
  'after %s the socket is destroyed, though the client goes on sending and never closes its side',
  async (code) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      answerClientError(Object.assign(new Error(code), { code }), socket)
    })
    onTestFinished(() => void server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const accepted = once(server, 'connection')
    const client = await open((server.address() as AddressInfo).port, { allowHalfOpen: true })
    const drip = setInterval(() => client.write('x'), 20)
    onTestFinished(() => clearInterval(drip))
    const [socket] = (await accepted) as [Socket]
    const began = performance.now()
    const answer = read(client)
    if (!socket.closed) await once(socket, 'close')
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  },
)

describe('a body over the limit', () => {
  const headOf = (key: string) =>
    `POST /v1/monitors HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`
  const LARGE = 8 * 1024 * 1024

  test.each([
    ['with its length', `content-length: ${LARGE}`, (body: Buffer) => [body]],
    [
      'in chunks',
      'transfer-encoding: chunked',
      (body: Buffer) => [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'],
    ],
  ] as const)('%s gets its 413 read by a client that sends all of it first', async (_how, header, parts) => {
    api = await createTestApi()
    const key = (await api.owner()).api_key
    const socket = await open(portOf(await api.listen()))
    const faults: unknown[] = []
    socket.on('error', (error) => faults.push(error))
    socket.pause()
    socket.write(`${headOf(key)}\r\n${header}\r\n\r\n`)
    const [last, ...rest] = [...parts(Buffer.alloc(LARGE, 32))].reverse()
    for (const part of rest.reverse()) socket.write(part)
    await new Promise<void>((resolve) => socket.write(last ?? '', () => resolve()))
    const answer = await read(socket.resume())
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*PAYLOAD_TOO_LARGE/s)
    expect(faults).toEqual([])
  })

  test('is not received without end', async () => {
    api = await createTestApi()
    const key = (await api.owner()).api_key
    const socket = await open(portOf(await api.listen()))
    socket.write(`${headOf(key)}\r\ncontent-length: 1000000000\r\n\r\n`)
    const megabyte = Buffer.alloc(1_048_576, 32)
    let sent = 0
    const pump = (): void => {
      while (!socket.destroyed && socket.write(megabyte)) sent += 1
      sent += 1
    }
    socket.on('drain', pump)
    pump()
    expect(await read(socket)).toMatch(/^HTTP\/1\.1 413 /)
    expect(sent).toBeLessThan(100)
  })
})
