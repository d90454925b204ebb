import { createServer, type AddressInfo, type Socket } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseMailServer } from '../../../core/mail-server.ts'
import type { Channels } from '../../../deliveries/channels/channel.ts'
import { createChannels } from '../../../deliveries/channels/channels.ts'
import { createMailer } from '../../../deliveries/mail/mailer.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { DELIVERY_TIMEOUT_MS } from '../../../schema/run/delivery.ts'
import { replayDelivery } from '../../../store/deliveries/replay-deliveries.ts'
import { openOutbox, startLoop } from '../../support/database/outbox.ts'
import { LINKS, openMailbox, payloadOf, refusal } from '../../support/mail/mailbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { openReceiver, reply } from '../../support/worker/receiver.ts'

const outbox = shared(openOutbox)
beforeEach(() => outbox.query('truncate deliveries'))

const PAYLOAD = payloadOf({ price: ['$19.99', '$17.49'] })
const isSent = ({ status }: { status: string }) => status === 'success'
const wasTried = ({ attempts }: { attempts: number }) => attempts > 0
const MAIL = { type: 'email', to: 'ada@example.com' } as const

interface OpenLoop extends AsyncDisposable {
  readonly channels: Channels
}

/** All channels, with a mail server on this port or with none. */
function openLoop(smtpPort: number | null, connections = 5): OpenLoop {
  const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }))
  const parsed = parseMailServer(`smtp://127.0.0.1:${smtpPort}`)
  const mailer =
    smtpPort !== null && parsed.ok
      ? createMailer({ server: () => parsed.server, from: 'watch@tide.example', connections })
      : null
  return {
    channels: createChannels({ agent, mailer, ...LINKS }),
    async [Symbol.asyncDispose]() {
      mailer?.close()
      await agent.destroy()
    },
  }
}

describe('messages from the outbox', () => {
  test('go to Slack, Discord and a mailbox, while the stored payload stays what the API shows', async () => {
    await using mailbox = await openMailbox()
    await using chat = await openReceiver()
    await using opened = openLoop(mailbox.port)
    const ids = await Promise.all([
      outbox.add({ type: 'slack', webhookUrl: chat.url }, PAYLOAD),
      outbox.add({ type: 'discord', webhookUrl: chat.url }, PAYLOAD),
      outbox.add(MAIL, PAYLOAD),
    ])
    await using _ = startLoop(outbox, { channels: opened.channels })
    for (const id of ids) {
      const row = await outbox.until(id, isSent)
      expect(JSON.parse(row.payload)).toEqual({ id, ...PAYLOAD })
    }
    const bodies = chat.requests.map(({ body }) => Object.keys(JSON.parse(body.toString()) as object)[0])
    expect(new Set(bodies)).toEqual(new Set(['embeds', 'text']))
    expect(mailbox.letters[0]?.mail.messageId).toBe(`<${ids[2]}@tide.example>`)
    expect(await outbox.see(ids[2])).toMatchObject({
      attempts: 1,
      response_status: 250,
      response_body: '250 queued as 42',
    })
  })

  test.each([
    [550, 'no such user', { status: 'failed', next_attempt_at: null }, null],
    [451, 'come back later', { status: 'failed' }, 300],
  ] as const)('a reply of %i %s is recorded with its code', async (code, text, state, seconds) => {
    await using mailbox = await openMailbox({ onRcptTo: (_address, _session, done) => done(refusal(code, text)) })
    await using opened = openLoop(mailbox.port)
    const id = await outbox.add(MAIL, PAYLOAD)
    await using _ = startLoop(outbox, { channels: opened.channels })
    const row = await outbox.until(id, wasTried)
    expect(row).toMatchObject({ ...state, response_status: code, response_body: `${code} ${text}` })
    if (seconds !== null)
      expect((Number(row.next_attempt_at) - Number(row.last_attempt_at)) / 1000).toBeCloseTo(seconds, 2)
  })

  test.each(['slack', 'discord'] as const)(
    'a %s that answers 429 has failed for good, as every 4xx has',
    async (type) => {
      await using chat = await openReceiver(reply(429, 'rate limited', { 'retry-after': '1' }))
      await using opened = openLoop(null)
      const id = await outbox.add({ type, webhookUrl: chat.url }, PAYLOAD)
      await using _ = startLoop(outbox, { channels: opened.channels })
      expect(await outbox.until(id, wasTried)).toMatchObject({
        status: 'failed',
        next_attempt_at: null,
        response_status: 429,
        response_body: 'rate limited',
      })
    },
  )

  test('without a mail server a mail fails with an explanation, and a replay sends it once there is one', async () => {
    const id = await outbox.add(MAIL, PAYLOAD)
    {
      await using opened = openLoop(null)
      await using _ = startLoop(outbox, { channels: opened.channels })
      const row = await outbox.until(id, wasTried)
      expect(row).toMatchObject({ status: 'failed', next_attempt_at: null, response_status: null })
      expect(row.response_body).toContain('SMTP_URL is not set')
    }
    await using mailbox = await openMailbox()
    await using opened = openLoop(mailbox.port)
    expect(await replayDelivery(outbox.store, outbox.teamId, id)).toMatchObject({ id })
    await using _ = startLoop(outbox, { channels: opened.channels })
    await outbox.until(id, isSent)
    expect(mailbox.letters[0]?.mail.messageId).toBe(`<${id}@tide.example>`)
  })

  test(
    'a mail server that never answers holds up no webhook and no chat, and no more than its share is under way to ' +
      'it',
    async () => {
      const sockets = new Set<Socket>()
      const dead = createServer((socket) => void sockets.add(socket.on('error', () => {})))
      await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve))
      await using receiver = await openReceiver()
      await using chat = await openReceiver()
      await using opened = openLoop((dead.address() as AddressInfo).port)
      const mails = Array.from({ length: 50 }, () => outbox.row(MAIL, PAYLOAD))
      await outbox.addAll(mails)
      const ids = await Promise.all([
        ...Array.from({ length: 10 }, () => outbox.webhook(receiver.url)),
        // Each to an address of its own: messages to one are paced.
        ...Array.from({ length: 10 }, (_, n) => outbox.add({ type: 'slack', webhookUrl: `${chat.url}/${n}` }, PAYLOAD)),
      ])
      const before = performance.now()
      await using _ = startLoop(outbox, { channels: opened.channels })
      for (const id of ids) await outbox.until(id, isSent)
      // Not when the time of an attempt is over.
      expect(performance.now() - before).toBeLessThan(DELIVERY_TIMEOUT_MS - 5_000)
      await eventually(
        () => sockets.size,
        (count) => count > 0,
      )
      expect(sockets.size).toBeLessThanOrEqual(5)
      for (const socket of sockets) socket.destroy()
      dead.close()
    },
  )

  test('to one mail server at most as many are under way as to any destination', async () => {
    let active = 0
    let most = 0
    const waiting: (() => void)[] = []
    await using mailbox = await openMailbox({
      onMailFrom(_address, _session, done) {
        most = Math.max(most, ++active)
        waiting.push(() => (active--, done(null)))
        setTimeout(() => waiting.shift()?.(), 10)
      },
    })
    await using opened = openLoop(mailbox.port, 3)
    await outbox.addAll(
      Array.from({ length: 30 }, (_, n) => outbox.row({ type: 'email', to: `a${n}@example.com` }, PAYLOAD)),
    )
    await using _ = startLoop(outbox, { channels: opened.channels, perHost: 3 })
    await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isSent),
    )
    // One place is left to others.
    expect(most).toBe(2)
    expect(mailbox.contacts).toBeLessThanOrEqual(3)
    expect(new Set(mailbox.letters.map(({ to }) => to[0])).size).toBe(30)
  })

  test('a stop gives back a mail that a silent server holds, uncounted, within its grace', async () => {
    const dead = createServer((socket) => void socket.on('error', () => {}).resume())
    await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve))
    await using opened = openLoop((dead.address() as AddressInfo).port)
    const id = await outbox.add(MAIL, PAYLOAD)
    await using running = startLoop(outbox, { channels: opened.channels })
    await eventually(
      () =>
        new Promise<number>((resolve, reject) =>
          dead.getConnections((error, count) => (error ? reject(error) : resolve(count))),
        ),
      (count) => count === 1,
    )
    const before = performance.now()
    await running.loop.drain(300)
    expect(performance.now() - before).toBeLessThan(DELIVERY_TIMEOUT_MS - 5_000)
    expect(await outbox.see(id)).toMatchObject({ status: 'pending', attempts: 0 })
    dead.close()
  })
})
