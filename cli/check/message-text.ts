import { examplePageChange } from '../../core/example-change.ts'
import { namedTexts, render } from '../../core/message/render-message.ts'
import { deliveryPayload } from '../../core/payload.ts'
import { printable } from '../../core/printable.ts'
import { emailMessage } from '../../deliveries/messages/email-message.ts'
import { type MessagePayload, readPayload } from '../../deliveries/messages/message-payload.ts'
import { storyOf } from '../../deliveries/messages/story.ts'
import { valuesOf } from '../../deliveries/messages/worded-story.ts'
import { bodyWarnings } from '../../monitors/check/body-remarks.ts'
import { bodyTemplate } from '../../schema/message/message-template.ts'
import type { MessageConfig } from '../../schema/message/message.ts'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { NamedFacts } from '../../store/deliveries/sealed-target.ts'

interface Words {
  readonly title: string
  readonly text: string
}

/** What a destination gets whose delivery has its words or its body, with its place among the deliveries. */
type OwnMessage = { readonly index: number } & (Words | { readonly body: string })

/** A message about a change that did not happen. */
interface ExampleMessage extends Words {
  readonly deliveries?: readonly OwnMessage[]
  /** What should be known of them. */
  readonly warnings?: readonly string[]
}

const LINKS = { dashboardUrl: null }

/** Returns the message of a monitor whose field has just got the value that a check has read. */
export function exampleMessage({ status, fields }: Preview, spec: MonitorSpec, nowMs: number): ExampleMessage {
  const values = status === 'success' ? (fields as Values) : {}
  const change = examplePageChange({ nowMs, values }, spec)
  const payload = readPayload(JSON.stringify(deliveryPayload({ id: change.runId, ...change })))
  if (payload === null || 'type' in payload) throw new Error('a made-up change has no message')
  const named = { labels: spec.labels, values }
  const words = (message?: MessageConfig): Words => {
    const { subject, text } = emailMessage(payload, LINKS, false, { named, ...(message && { message }) })
    return { title: subject, text }
  }
  const own = (delivery: DeliveryConfig, index: number): readonly OwnMessage[] => {
    if ('body' in delivery && delivery.body !== undefined)
      return [{ index, body: bodyOf(delivery.body, payload, named) }]
    return 'message' in delivery && delivery.message !== undefined ? [{ index, ...words(delivery.message) }] : []
  }
  const deliveries = (spec.deliveries ?? []).flatMap(own)
  const warnings = bodyWarnings(spec.deliveries ?? [])
  return {
    ...words(spec.message ?? undefined),
    ...(deliveries.length > 0 && { deliveries }),
    ...(warnings.length > 0 && { warnings }),
  }
}

const bodyOf = (body: string, payload: MessagePayload, named: NamedFacts): string =>
  render(bodyTemplate(body), namedTexts(valuesOf(payload, storyOf(payload, LINKS), { named })))

/** Returns it for a terminal. */
export function messageText({ deliveries = [], warnings = [], ...words }: ExampleMessage): string {
  const others = deliveries.flatMap((one) => [
    `  to deliveries[${one.index}]:`,
    '',
    ...indented('body' in one ? one.body : wordsOf(one)),
    '',
  ])
  const remarks = warnings.flatMap((warning) => [`  warning: ${printable(warning)}`, ''])
  const head = ['', '  message, of a change that is made up:', '', ...indented(wordsOf(words)), '']
  return [...head, ...others, ...remarks].join('\n')
}

const wordsOf = ({ title, text }: Words): string => `Title: ${title}\n\n${text.trimEnd()}`
const indented = (text: string): readonly string[] => text.split('\n').map((line) => `    ${printable(line)}`.trimEnd())
