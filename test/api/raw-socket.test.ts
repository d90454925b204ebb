import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import { createTestApi, type TestApi } from './test-api.ts'

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

  test('what is not HTTP is answered in the envelope, and the connection closed', async () => {
    const [head, body] = (await exchange('NONSENSE\r\n\r\n')).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(head).toContain('service-version: 2026-05-01')
    expect(JSON.parse(body ?? '')).toMatchObject({ error: { code: 'VALIDATION_ERROR', details: [] } })
  })

  test('headers that never end are 431 in the envelope', async () => {
    const answer = await exchange(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  })

  test('a client that goes away in the middle of its body harms nobody', async () => {
    const { port, hostname } = new URL(address)
    for (let round = 0; round < 5; round += 1) {
      const socket = connect(Number(port), hostname)
      const head = `POST /v1/monitors HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
      socket.write(head, () => socket.destroy())
      await once(socket, 'close')
    }
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    expect(lines.filter((line) => line.includes('"fatal"'))).toEqual([])
  })

  test('a length that does not match the body is refused', async () => {
    const answer = await exchange(
      `POST /v1/monitors HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 1\r\nconnection: close\r\n\r\n{"count":1}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})
