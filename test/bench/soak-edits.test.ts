import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startEdits } from '../../bench/checks/soak-edits.ts'
import { eventually } from '../support/run/eventually.ts'

const stop = new AbortController()
let answered = 0
let statuses: readonly number[] = []
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(statuses[answered] ?? 200).end('{}')
  answered += 1
})
afterEach(async () => {
  stop.abort()
  server.close()
  await once(server, 'close')
})

test('edits that are refused for now are counted and go on, and any other status ends the soak at once', async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const edited = { ids: ['one', 'two'], base, key: 'key', signal: stop.signal }
  statuses = [200, 503, 503, 200]
  const edits = startEdits(edited)
  await eventually(
    async () => answered,
    (count) => count >= 6,
  )
  const { count, refused } = await edits.end()
  expect(refused).toBe(2)
  expect(count).toBe(answered - 2)
  answered = 0
  statuses = [200, 500]
  const failing = startEdits(edited)
  await expect(failing.failed).rejects.toThrow('an edit was answered with 500')
  await expect(failing.end()).rejects.toThrow('an edit was answered with 500')
})
