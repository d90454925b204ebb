import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { timedStream } from '../../../api/http/timed-stream.ts'

const PART = 'x'.repeat(8 * 1024 * 1024)

/** Serves parts to one client that reads as the test tells it. */
async function served(parts: AsyncIterable<string>, takeMs?: number, mostMs?: number) {
  const { promise: failed, resolve } = Promise.withResolvers<Error>()
  const server = createServer((_request, response) => {
    const stream = timedStream(parts, takeMs, mostMs)
    stream.on('error', (error) => {
      response.destroy()
      resolve(error)
    })
    stream.pipe(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const request = get({ host: '127.0.0.1', port, agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return { failed, answer, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

describe('a stream of parts', () => {
  test('asks for the next part when the client has taken the last one', async () => {
    let given = 0
    async function* parts() {
      while (given < 3) {
        given++
        yield PART
      }
    }
    await using service = await served(parts())
    // The head has arrived, so the first part is on its way. It is more than the buffers of both sockets.
    expect(given).toBe(1)
    let length = 0
    for await (const chunk of service.answer) length += (chunk as Buffer).length
    expect([given, length]).toEqual([3, 3 * PART.length])
  })

  test('ends with the connection of a client that takes nothing, and what the parts hold is given back', async () => {
    const { promise: givenBack, resolve } = Promise.withResolvers<string>()
    async function* parts() {
      try {
        yield PART
        yield PART
      } finally {
        resolve('given back')
      }
    }
    await using service = await served(parts(), 5)
    expect((await service.failed).name).toBe('NotTakenError')
    expect(await givenBack).toBe('given back')
    const reading = (async () => {
      for await (const _chunk of service.answer);
    })()
    await expect(reading).rejects.toThrow('aborted')
  })

  test('has a bound for the time of a large part, too', async () => {
    async function* parts() {
      yield PART
      yield PART
    }
    await using service = await served(parts(), 600_000, 5)
    expect((await service.failed).message).toContain('within 0.005 s')
    service.answer.destroy()
  })

  test('ends with the connection when a part fails', async () => {
    async function* parts() {
      yield 'the beginning'
      throw new Error('the store is away')
    }
    await using service = await served(parts())
    expect((await service.failed).message).toBe('the store is away')
    const reading = (async () => {
      for await (const _chunk of service.answer);
    })()
    await expect(reading).rejects.toThrow('aborted')
  })
})
