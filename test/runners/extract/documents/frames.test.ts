import { expect, test } from 'vitest'
import { frameOf, FrameReader } from '../../../../runners/extract/documents/child/frames.ts'

const sent = Buffer.concat([
  ...frameOf({}, Buffer.alloc(0)),
  ...frameOf({ ok: true }, Buffer.from('a file')),
  ...frameOf({ ok: false }, Buffer.from('another')),
])
const read = (chunks: readonly Buffer[]) => {
  const reader = new FrameReader(100)
  return chunks.flatMap((chunk) =>
    reader.push(chunk).map(({ head, body }) => [head, Buffer.from(body).toString()] as const),
  )
}
const messages = [
  [{}, ''],
  [{ ok: true }, 'a file'],
  [{ ok: false }, 'another'],
]

test('messages that arrive together are all read, as where their reader was busy', () => {
  expect(read([sent])).toEqual(messages)
})

test('messages are read wherever they are cut', () => {
  for (let at = 1; at < sent.length; at += 1)
    expect(read([sent.subarray(0, at), sent.subarray(at)]), `cut at ${at}`).toEqual(messages)
  expect(read(Array.from(sent, (byte) => Buffer.from([byte])))).toEqual(messages)
})

test('a message that is longer than allowed is refused', () => {
  expect(() => read([Buffer.concat(frameOf({}, Buffer.alloc(101)))])).toThrow('a message is too long')
})
