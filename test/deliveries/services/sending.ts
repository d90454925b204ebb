import type { AttemptOutcome, Message } from '../../../deliveries/channels/channel.ts'
import { createServiceChannel } from '../../../deliveries/channels/service.ts'
import type { MessagePayload } from '../../../deliveries/messages/message-payload.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { ServiceName } from '../../../schema/monitor/delivery-services.ts'
import { LINKS, payloadOf } from '../../support/mail/mailbox.ts'
import { openReceiver, type Received, reply, type Reply } from '../../support/worker/receiver.ts'

export const ID = '01a1fdda-7d9b-7133-82bc-55eff54399c9'
export const SECRET = 'a'.repeat(64)
export const MONITOR = '5a0f3c52-7d0e-4d0e-a5a8-0b1f5d1f2a3b'
/** Returns an agent that may connect to loopback. Close it. */
export const openAgent = () => createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }))
const quiet = { info: () => {}, warn: () => {}, error: () => {} }

/** The options of each service: those that it needs, and one more. */
export const OPTIONS = {
  teams: {},
  telegram: { chat_id: '-1001234', message_thread_id: '7' },
  matrix: { room_id: '!abc:example.com', access_token: 'syt_secret-token' },
  mattermost: { channel: 'town-square' },
  rocket_chat: { alias: 'Kettle watch' },
  google_chat: { thread_key: 'kettle' },
  ntfy: { topic: 'kettle-7f3a', token: 'tk_secret-token', priority: '4', tags: 'bell,tea' },
  gotify: { token: 'A-secret-token', priority: '5' },
  pushover: { token: 'a-secret-token', user: 'u-secret-key', sound: 'magic' },
  pagerduty: { routing_key: 'R-secret-key' },
  apprise: { tag: 'all' },
  cloudevents: {},
  custom: {},
} as const satisfies Readonly<Record<ServiceName, Readonly<Record<string, string>>>>

interface Sending {
  readonly payload?: MessagePayload | object
  readonly notice?: string
  readonly secrets?: readonly string[]
  readonly options?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly deadlineMs?: number
  readonly rest?: (ms: number) => Promise<boolean>
}

export const KETTLE = payloadOf({ price: ['$19.99', '$17.49'], in_stock: [null, true] })

export async function sendTo(service: ServiceName, url: string, sending: Sending = {}): Promise<AttemptOutcome> {
  const {
    payload = KETTLE,
    notice,
    secrets = [SECRET],
    options = OPTIONS[service],
    headers,
    deadlineMs = 5_000,
  } = sending
  const message: Message<'webhook'> = {
    ...{ id: ID, team: 't', secrets, payload: JSON.stringify(payload), notice: notice ?? null },
    config: { type: 'webhook', url, service, options, ...(headers && { headers }) },
  }
  const agent = openAgent()
  const channel = createServiceChannel({ agent, links: LINKS, deadlineMs })
  const { rest } = sending
  try {
    return await channel.send(message, { signal: new AbortController().signal, log: quiet, ...(rest && { rest }) })
  } finally {
    await agent.destroy()
  }
}

/** Sends to a server of the test, and returns what it received and the outcome. */
export async function sent(
  service: ServiceName,
  sending: Sending = {},
  answer: Reply = reply(200, 'ok'),
): Promise<{ readonly request: Received; readonly requests: readonly Received[]; readonly outcome: AttemptOutcome }> {
  await using receiver = await openReceiver(answer)
  const outcome = await sendTo(service, receiver.url, sending)
  const [request] = receiver.requests
  if (request === undefined) throw new Error(`nothing was received: ${JSON.stringify(outcome)}`)
  return { request, requests: receiver.requests, outcome }
}

/** The notice of a monitor that fails, or works again. */
export const noticeOf = (kind: 'failing' | 'recovered', monitorId: string | null = MONITOR): object => ({
  type: 'notice',
  kind,
  occurred_at: '2026-05-01T12:00:00.000Z',
  title: `Kettle: ${kind}`,
  message: 'The last checks of the monitor failed.',
  recipient: 'destination',
  monitor_id: monitorId,
  run_id: null,
  monitor: monitorId && { url: 'https://example.com/kettle', name: 'Kettle', kind: 'page' },
})
