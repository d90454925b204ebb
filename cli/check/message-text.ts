import { examplePageChange } from '../../core/example-change.ts'
import { deliveryPayload } from '../../core/payload.ts'
import { printable } from '../../core/printable.ts'
import { emailMessage } from '../../deliveries/messages/email-message.ts'
import { readPayload } from '../../deliveries/messages/message-payload.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { Values } from '../../schema/shape/json.ts'

/** A message about a change that did not happen. */
interface ExampleMessage {
  readonly title: string
  readonly text: string
}

/** Returns the message of a monitor whose field has just got the value that a check has read. */
export function exampleMessage({ status, fields }: Preview, spec: MonitorSpec, nowMs: number): ExampleMessage {
  const values = status === 'success' ? (fields as Values) : {}
  const change = examplePageChange({ nowMs, values }, spec)
  const payload = readPayload(JSON.stringify(deliveryPayload({ id: change.runId, ...change })))
  if (payload === null) throw new Error('a made-up change has no message')
  const { message, labels } = spec
  const wording = { named: { labels, values }, ...(message && { message }) }
  const { subject: title, text } = emailMessage(payload, { dashboardUrl: null }, false, wording)
  return { title, text }
}

/** Returns it for a terminal. */
export function messageText({ title, text }: ExampleMessage): string {
  const lines = [`Title: ${title}`, '', ...text.trimEnd().split('\n')]
  const indented = lines.map((line) => `    ${printable(line)}`.trimEnd())
  return ['', '  message, of a change that is made up:', '', ...indented, ''].join('\n')
}
