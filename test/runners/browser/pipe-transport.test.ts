import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createPipeTransport, LARGEST_MESSAGE_BYTES } from '../../../runners/browser/chromium/pipe-transport.ts'
import { LARGEST_SHOT_BYTES } from '../../../runners/browser/page/shot.ts'
import { FETCH_LIMITS } from '../../../runners/fetch/fetch-limits.ts'

const MIB = 1024 * 1024

/** A transport, what it has heard, and how often it has closed. */
function opened() {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()]
  const transport = createPipeTransport(toBrowser, fromBrowser)
  const heard: object[] = []
  const seen = { closed: 0 }
  transport.onmessage = (message) => void heard.push(message)
  transport.onclose = () => void (seen.closed += 1)
  /** Resolves when the transport has taken the bytes. */
  async function say(bytes: Buffer | string): Promise<void> {
    const taken = once(fromBrowser, 'data')
    fromBrowser.write(bytes)
    await taken
  }
  return { transport, toBrowser, heard, seen, say }
}

test('Messages arrive whole, also when they come in pieces, or several at once', async () => {
  const { heard, seen, say } = opened()
  const bytes = Buffer.from('{"id":1}\0{"text":"é"}\0{"id":3}\0')
  for (const piece of [bytes.subarray(0, 3), bytes.subarray(3, 19), bytes.subarray(19)]) await say(piece)
  expect(heard).toEqual([{ id: 1 }, { text: 'é' }, { id: 3 }])
  expect(seen.closed).toBe(0)
})

test('The largest document, of escapes alone, and the largest picture are each one message', () => {
  const around = 10_000
  expect(FETCH_LIMITS.maxBodyBytes * '\\u0001'.length + around).toBeLessThan(LARGEST_MESSAGE_BYTES)
  expect((LARGEST_SHOT_BYTES * 4) / 3 + around).toBeLessThan(LARGEST_MESSAGE_BYTES)
})

test('A message of the largest size is heard; one byte more closes the transport, once and for good', async () => {
  const { heard, seen, say, toBrowser } = opened()
  const message = Buffer.alloc(LARGEST_MESSAGE_BYTES, ' ')
  message.write('{"id":1}')
  for (let at = 0; at < message.length; at += MIB) await say(message.subarray(at, at + MIB))
  await say('\0')
  expect(heard).toEqual([{ id: 1 }])

  for (let at = 0; at < message.length; at += MIB) await say(message.subarray(at, at + MIB))
  expect(seen.closed).toBe(0)
  await say(' ')
  expect(seen.closed).toBe(1)
  expect(toBrowser.writableEnded).toBe(true)
  await say('\0{"id":2}\0')
  expect([heard.length, seen.closed]).toEqual([1, 1])
})

test.each([
  ['is no JSON', '{"id":\0'],
  ['is empty', '\0'],
])('A message that %s closes the transport', async (_, bytes) => {
  const { heard, seen, say } = opened()
  await say(`${bytes}{"id":2}\0`)
  expect([heard.length, seen.closed]).toEqual([0, 1])
})

test('A listener that throws closes the transport, and throws no further', async () => {
  const { transport, seen, say } = opened()
  transport.onmessage = () => {
    throw new Error('no')
  }
  await say('{"id":1}\0')
  expect(seen.closed).toBe(1)
})
