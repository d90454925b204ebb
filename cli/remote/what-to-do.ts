import type { DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { DeliveryTest } from '../../schema/run/delivery-test.ts'

type Result = Pick<DeliveryTest, 'status' | 'is_final' | 'response_status'>

/** Returns sentences for the person whose test had this result. */
export function whatToDo(result: Result, type: DeliveryType): readonly string[] {
  const { status, is_final: isFinal, response_status: answer } = result
  if (status === 'success') return ['The destination took it.']
  const next = isFinal ? 'A delivery with this result is given up.' : 'A delivery with this result is tried again.'
  // Without an answer, the text in its place says what to check.
  if (answer === null) return [next]
  return [type === 'email' ? MAIL : adviceFor(answer, type), next]
}

const MAIL = 'The mail server did not take it: check the address of the recipient, and the settings of the server.'

function adviceFor(answer: number, type: DeliveryType): string {
  if (answer < 300) return 'It answered, but did not take the message: its answer says why.'
  if (answer < 400) return 'Redirects are not followed: use the address that it redirects to.'
  if (answer === 401 || answer === 403) return `It refuses the credentials: check the address${HEADERS[type] ?? ''}.`
  if (answer === 404 || answer === 410)
    return 'Nothing takes messages at this address: copy it again, or make another one.'
  if (answer === 429) return 'It takes no more messages for now: try again later, or send fewer.'
  if (answer < 500) return `It does not understand the message: is this the address of ${NOUNS[type]}?`
  return 'It failed by itself: its own log says why.'
}

const HEADERS: Readonly<Partial<Record<DeliveryType, string>>> = {
  webhook: ', and the headers or options',
}

const NOUNS = {
  webhook: 'a webhook',
  slack: 'Slack',
  discord: 'Discord',
  email: 'a mailbox',
} as const satisfies Record<DeliveryType, string>
