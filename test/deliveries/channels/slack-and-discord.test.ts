import { afterAll, describe, expect, test } from 'vitest'
import type { AttemptOutcome, SendContext } from '../../../deliveries/channels/channel.ts'
import { createDiscordChannel } from '../../../deliveries/channels/discord.ts'
import { createSlackChannel } from '../../../deliveries/channels/slack.ts'
import { discordMessage } from '../../../deliveries/messages/discord-message.ts'
import { slackMessage } from '../../../deliveries/messages/slack-message.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { LINKS, payloadOf } from '../../support/mail/mailbox.ts'
import { closedPort, openReceiver, reply, type Reply } from '../../support/worker/receiver.ts'

const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }))
const guarded = createGuardedAgent(createPolicy({ allowPrivateCidrs: [], neverAllow: [] }))
afterAll(() => Promise.all([agent.destroy(), guarded.destroy()]))

const PAYLOAD = payloadOf({ price: ['$19.99', '$17.49'] })
const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const ctx = (): SendContext => ({ signal: new AbortController().signal, log: quiet })

interface Sending {
  readonly payload?: string
  readonly dispatcher?: typeof agent
  readonly deadlineMs?: number
}

/** Longer than a busy machine needs. */
const PATIENT_MS = 20_000

const TYPES = {
  slack: {
    written: slackMessage(PAYLOAD, LINKS),
    send: (
      webhookUrl: string,
      { payload = JSON.stringify(PAYLOAD), dispatcher = agent, deadlineMs = PATIENT_MS }: Sending = {},
    ) =>
      createSlackChannel({ agent: dispatcher, links: LINKS, deadlineMs }).send(
        { id: 'd', team: 't', config: { type: 'slack', webhookUrl }, payload, secrets: [] },
        ctx(),
      ),
  },
  discord: {
    written: discordMessage(PAYLOAD, LINKS),
    send: (
      webhookUrl: string,
      { payload = JSON.stringify(PAYLOAD), dispatcher = agent, deadlineMs = PATIENT_MS }: Sending = {},
    ) =>
      createDiscordChannel({ agent: dispatcher, links: LINKS, deadlineMs }).send(
        { id: 'd', team: 't', config: { type: 'discord', webhookUrl }, payload, secrets: [] },
        ctx(),
      ),
  },
} as const

describe.each(['slack', 'discord'] as const)('a %s delivery', (type) => {
  const { send, written } = TYPES[type]

  async function answerTo(onRequest: Reply, options: Sending = {}): Promise<AttemptOutcome> {
    await using receiver = await openReceiver(onRequest)
    return await send(receiver.url, options)
  }

  test('is one POST of the message as JSON, which is not signed and needs no secret', async () => {
    await using receiver = await openReceiver()
    expect(await send(receiver.url)).toEqual({ kind: 'answered', status: 200, body: 'ok' })
    expect(receiver.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /hook'])
    const [request] = receiver.requests
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual(written)
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Service/1.0',
    })
    expect(request?.headers.has('service-signature')).toBe(false)
  })

  test.each([204, 302, 400, 404, 429, 500, 503])(
    'answers %i as its outcome, the beginning of the body with it',
    async (status) => {
      const body = status === 204 ? '' : 'invalid_blocks'
      expect(await answerTo(reply(status, body, { location: 'http://127.0.0.1:1/' }))).toEqual({
        kind: 'answered',
        status,
        body: body || null,
      })
    },
  )

  test('has no answer when nothing answers in time, nobody listens, or the connection is cut', async () => {
    expect(await answerTo(() => {}, { deadlineMs: 300 })).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('did not answer in time'),
    })
    expect(await send(await closedPort())).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('refused'),
    })
    expect(await answerTo((socket) => socket.destroy())).toMatchObject({ kind: 'no_answer' })
  })

  test('makes no contact with a private address', async () => {
    await using receiver = await openReceiver()
    expect(await send(receiver.url, { dispatcher: guarded })).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('is not allowed'),
    })
    expect(receiver.contacts).toBe(0)
  })

  test('is impossible with a payload that no message can be made from, and says so', async () => {
    await using receiver = await openReceiver()
    expect(await send(receiver.url, { payload: '{"hello":"world"}' })).toMatchObject({
      kind: 'impossible',
      message: expect.stringContaining('cannot write a message'),
    })
    expect(receiver.contacts).toBe(0)
  })
})
