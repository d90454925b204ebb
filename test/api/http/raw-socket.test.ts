import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import { ERRORS } from '../../../schema/error.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let key: string
const lines: string[] = []
beforeAll(async () => {
  api = await createTestApi({ log: createLogger('info', { write: (line) => void lines.push(line) }) })
  key = (await api.owner()).api_key
})
afterAll(() => api.close())

describe('over a real socket', () => {
  const exchange = async (text: string): Promise<string> => {
    const url = new URL(address)
    const socket = connect(Number(url.port), url.hostname)
    let answer = ''
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.write(text)
    await once(socket, 'close')
    return answer
  }
  let address: string
  beforeAll(async () => {
    address = await api.listen()
  })

  test.each([
    ['what is not HTTP', 'NONSENSE\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'headers that never end',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['a request without a host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an address that is none, without a host', 'GET /x HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: a\r\nHOST: a\r\nconnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an unknown expectation', 'GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: foo\r\n\r\n', 417, 'EXPECTATION_FAILED'],
  ] as const)('%s is answered in the envelope, and the connection closed', async (_what, request, status, code) => {
    const [head = '', body = ''] = (await exchange(request)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head.toLowerCase()).toContain('service-version: 2026-05-01')
    const { error } = JSON.parse(body)
    expect(error).toMatchObject({ code, details: [], requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(head.toLowerCase()).toContain(`x-request-id: ${error.requestId}`)
    expect(ERRORS[code].status).toBe(status)
  })

  test('HTTP/1.0 needs no host, and 100-continue is an expectation that is met', async () => {
    expect(await exchange('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
    const waiting = 'GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n'
    expect(await exchange(waiting)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })

  test('a client that goes away in the middle of its body harms nobody', async () => {
    const { port, hostname } = new URL(address)
    for (let round = 0; round < 5; round += 1) {
      const socket = connect(Number(port), hostname)
      const head =
        `POST /v1/monitors HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: ` +
        `application/json\r\ncontent-length: 100\r\n\r\n{`
      socket.write(head, () => socket.destroy())
      await once(socket, 'close')
    }
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    expect(lines.filter((line) => line.includes('"fatal"'))).toEqual([])
  })

  test('a length that does not match the body is refused', async () => {
    const answer = await exchange(
      `POST /v1/monitors HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: ` +
        `application/json\r\ncontent-length: 1\r\nconnection: close\r\n\r\n{"count":1}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})
