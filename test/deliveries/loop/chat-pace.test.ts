import { beforeEach, describe, expect, test } from 'vitest'
import { CHAT_PACE } from '../../../schema/run/delivery.ts'
import { openOutbox, startLoop } from '../../support/database/outbox.ts'
import { payloadOf } from '../../support/mail/mailbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { openReceiver, type Received, reply } from '../../support/worker/receiver.ts'

const outbox = shared(openOutbox)
beforeEach(() => outbox.query('truncate deliveries'))

const PAYLOAD = payloadOf({ price: ['$19.99', '$17.49'] })
const isSent = ({ status }: { status: string }) => status === 'success'
const isDone = ({ status }: { status: string }) => status !== 'pending'
const { burst } = CHAT_PACE

const chats = (type: 'slack' | 'discord', webhookUrl: string, count: number) =>
  outbox.addAll(Array.from({ length: count }, () => outbox.row({ type, webhookUrl }, PAYLOAD)))

/**
 * Returns the most requests in any stretch of this many milliseconds. On a busy machine a message comes later than its
 * turn, and the next one in its own turn.
 */
const mostWithin = (requests: readonly Received[], ms: number) =>
  Math.max(...requests.map(({ at }) => requests.filter((other) => other.at >= at && other.at < at + ms).length))

describe.each(['slack', 'discord'] as const)('messages to one %s address', (type) => {
  const everyMs = CHAT_PACE.everyMs[type]
  test('are paced after a short burst', async () => {
    await using chat = await openReceiver()
    await chats(type, chat.url, burst + 3)
    const began = performance.now()
    await using _ = startLoop(outbox)
    await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isSent),
    )
    expect(performance.now() - began).toBeGreaterThan(3 * everyMs - 50)
    expect(mostWithin(chat.requests, everyMs / 2)).toBeLessThanOrEqual(burst)
  })

  test('are paced together by all processes', async () => {
    await using chat = await openReceiver()
    await chats(type, chat.url, burst + 3)
    await using _one = startLoop(outbox)
    await using _other = startLoop(outbox, { store: await outbox.anotherStore() })
    await using _third = startLoop(outbox, { store: await outbox.anotherStore() })
    await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isSent),
    )
    expect(mostWithin(chat.requests, everyMs / 2)).toBeLessThanOrEqual(burst)
  })

  test('that are refused with a 429 wait for as long as it says, within the one attempt', async () => {
    await using chat = await openReceiver((socket, request, nth) =>
      (nth === 1 ? reply(429, 'slow down', { 'retry-after': '1' }) : reply(200, 'ok'))(socket, request, nth),
    )
    await chats(type, chat.url, 1)
    await using _ = startLoop(outbox)
    const [row] = await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isDone),
    )
    expect(row).toMatchObject({ status: 'success', attempts: 1, response_status: 200 })
    expect(chat.requests).toHaveLength(2)
    expect(Number(chat.requests[1]?.at) - Number(chat.requests[0]?.at)).toBeGreaterThan(990)
  })

  test.each([
    ['is longer than the attempt', { 'retry-after': '60' }],
    ['is missing', {}],
  ])('that are refused with a 429 are final where its Retry-After %s', async (_what, headers) => {
    await using chat = await openReceiver(reply(429, 'slow down', headers as Record<string, string>))
    await chats(type, chat.url, 1)
    await using _ = startLoop(outbox)
    const [row] = await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isDone),
    )
    expect(row).toMatchObject({ status: 'failed', attempts: 1, response_status: 429, next_attempt_at: null })
    expect(chat.requests).toHaveLength(1)
  })
})

test('a chat that asks to wait for longer than the attempt gets no message that is queued behind it', async () => {
  await using chat = await openReceiver(reply(429, 'slow down', { 'retry-after': '60' }))
  await chats('slack', chat.url, 4)
  await using _ = startLoop(outbox)
  const ended = () => outbox.seeAll().then((rows) => rows.filter(isDone))
  await eventually(ended, (rows) => rows.length > 0)
  const { webhook, until } = outbox
  await using other = await openReceiver()
  // The loop has looked and claimed again since then.
  await until(await webhook(other.url), isSent)
  expect(chat.requests).toHaveLength(1)
  expect((await ended()).filter(({ status }) => status === 'failed')).toHaveLength(1)
})

test('a chat that asks to wait is left alone by the other processes too', async () => {
  await using chat = await openReceiver(reply(429, 'slow down', { 'retry-after': '60' }))
  await chats('slack', chat.url, 1)
  await using _one = startLoop(outbox)
  const ended = () => outbox.seeAll().then((rows) => rows.filter(isDone))
  await eventually(ended, (rows) => rows.length === 1)
  await using _other = startLoop(outbox, { store: await outbox.anotherStore() })
  await chats('slack', chat.url, 3)
  const { webhook, until } = outbox
  await using other = await openReceiver()
  await until(await webhook(other.url), isSent)
  await until(await webhook(other.url), isSent)
  expect(chat.requests).toHaveLength(1)
})

test('a chat is not forgotten when the clock is set back, and its messages go on', async () => {
  await using chat = await openReceiver()
  await outbox.setClock(86_400)
  await chats('slack', chat.url, 1)
  await using _ = startLoop(outbox)
  const sent = () => outbox.seeAll().then((rows) => rows.filter(isSent))
  await eventually(sent, (rows) => rows.length === 1)
  await outbox.setClock(0)
  await chats('slack', chat.url, 1)
  await eventually(sent, (rows) => rows.length === 2)
})

test('a chat that asks to wait holds up no other address at its host', async () => {
  await using host = await openReceiver((socket, request, nth) =>
    (request.path === '/busy' ? reply(429, '', { 'retry-after': '12' }) : reply(200, 'ok'))(socket, request, nth),
  )
  const at = (path: string) => new URL(path, host.url).href
  await chats('slack', at('/busy'), 3)
  await using _ = startLoop(outbox, { perHost: 1 })
  await eventually(
    () => host.requests.length,
    (count) => count === 1,
  )
  const began = performance.now()
  const id = await outbox.webhook(at('/hook'))
  await outbox.until(id, isSent)
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(host.requests.filter(({ path }) => path === '/busy')).toHaveLength(1)
})

test('a chat that asks to wait again and again is asked three times, and its answer is then final', async () => {
  await using chat = await openReceiver(reply(429, 'slow down', { 'retry-after': '1' }))
  await chats('slack', chat.url, 1)
  await using _ = startLoop(outbox)
  const [row] = await eventually(
    () => outbox.seeAll(),
    (rows) => rows.every(isDone),
  )
  expect(row).toMatchObject({ status: 'failed', attempts: 1, response_status: 429, next_attempt_at: null })
  expect(chat.requests).toHaveLength(3)
})

test('a message that waited is sent again only when its host has a free slot', async () => {
  let answeredAt = 0
  const isStored = Promise.withResolvers<void>()
  await using host = await openReceiver((socket, request, nth) => {
    const answer = nth === 1 ? reply(429, '', { 'retry-after': '2' }) : reply(200, 'ok')
    if (nth === 1) void isStored.promise.then(() => answer(socket, request, nth))
    else if (request.path === '/chat') answer(socket, request, nth)
    else
      // The only slot is taken for longer than the chat asked to wait.
      setTimeout(() => {
        answeredAt = performance.now()
        answer(socket, request, nth)
      }, 3_500)
  })
  const at = (path: string) => new URL(path, host.url).href
  await chats('slack', at('/chat'), 1)
  await using _ = startLoop(outbox, { perHost: 1 })
  await eventually(
    () => host.requests.length,
    (count) => count === 1,
  )
  await outbox.webhook(at('/hook'))
  isStored.resolve()
  const rows = await eventually(
    () => outbox.seeAll(),
    (seen) => seen.every(isDone),
  )
  expect(rows.map(({ status }) => status)).toEqual(['success', 'success'])
  expect(host.requests.map(({ path }) => path)).toEqual(['/chat', '/hook', '/chat'])
  expect(host.requests[2]?.at).toBeGreaterThan(answeredAt)
})

test('webhooks are not paced', async () => {
  await using receiver = await openReceiver()
  const { url } = receiver
  await outbox.addAll(Array.from({ length: 30 }, () => outbox.row({ type: 'webhook', url })))
  const began = performance.now()
  await using _ = startLoop(outbox)
  await eventually(
    () => outbox.seeAll(),
    (rows) => rows.every(isSent),
  )
  // At the pace of a chat they take 27 s.
  expect(performance.now() - began).toBeLessThan(20_000)
})
