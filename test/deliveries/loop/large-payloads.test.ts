import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openOutbox, startLoop } from '../../support/database/outbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)

/** A destination at many addresses of loopback, which answers when it is told to. */
async function openSlowReceiver() {
  const waiting: ServerResponse[] = []
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    waiting.push(response)
    request.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  return {
    seen,
    waiting,
    url: (host: number, path: string) => `http://127.0.0.${host}:${port}${path}`,
    answer: () => waiting.splice(0).map((response) => response.end('ok')),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  }
}

test('ten large messages of a team are sent two at a time; small ones and those of others wait for none', async () => {
  await using receiver = await openSlowReceiver()
  // Two of them are more than half of what one team may have under way, and four more than all teams may.
  const payload = { text: 'x'.repeat(9 * 1024 * 1024) }
  for (let host = 1; host <= 10; host++) await outbox.webhook(receiver.url(host, '/large'), { payload })
  await outbox.webhook(receiver.url(11, '/small'))
  const other = await outbox.anotherTeam()
  const theirs = await other(receiver.url(12, '/other'))
  await outbox.query(`update deliveries set payload = (select max(payload) from deliveries) where id = $1`, [theirs])
  const count = (path: string) => receiver.seen.filter((seen) => seen === path).length
  await using _ = startLoop(outbox, { deadlineMs: 60_000 })
  await eventually(
    async () => receiver.seen,
    (seen) => ['/small', '/other'].every((path) => seen.includes(path)) && count('/large') === 2,
  )
  let most = 2
  for (let sent = 2; sent < 10; sent += 2) {
    receiver.answer()
    await eventually(
      async () => count('/large'),
      (large) => large === sent + 2,
    )
    most = Math.max(most, receiver.waiting.length)
  }
  receiver.answer()
  await eventually(
    () => outbox.seeAll(),
    (rows) => rows.every(({ status, attempts }) => status === 'success' && attempts === 1),
  )
  expect(most).toBe(2)
})
