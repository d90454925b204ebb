import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { beginEventStream } from '../../../api/http/event-stream.ts'

const WAITING = 64 * 1024

test('a client that does not read is cut, before more than a bounded part of the stream waits for it', async () => {
  const ended = Promise.withResolvers<boolean>()
  let mostWaiting = 0
  const server = createServer((_request, response) => {
    const stream = beginEventStream(response, WAITING)
    stream.onEnd(ended.resolve)
    const text = `data: ${'x'.repeat(8_000)}\n\n`
    const timer = setInterval(() => {
      for (let count = 0; count < 100 && stream.isOpen; count += 1) stream.send(text)
      mostWaiting = Math.max(mostWaiting, response.writableLength)
      if (!stream.isOpen) clearInterval(timer)
    }, 1)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void [client.destroy(), server.close()])
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  client.pause()
  expect(await ended.promise).toBe(true)
  expect(mostWaiting).toBeLessThan(2 * WAITING)
})
