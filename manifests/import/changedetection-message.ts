import { MESSAGE_LIMITS, type MessageConfig } from '../../schema/message/message.ts'
import { textOf, type Values } from './imported.ts'

/** The names of the tool, and those of a message here that say the same. */
const NAMES: Readonly<Record<string, string>> = {
  watch_url: 'monitor.url',
  watch_title: 'monitor.name',
  watch_uuid: 'monitor.id',
  diff_url: 'run.url',
  preview_url: 'run.url',
  diff: 'changes',
  diff_added: 'changes',
  diff_removed: 'changes',
  diff_full: 'changes',
  diff_patch: 'changes',
}

const DEFAULTS: ReadonlySet<string> = new Set([
  'ChangeDetection.io Notification - {{watch_url}}',
  '{{watch_url}} had a change.\n---\n{{diff}}\n---',
])

const PARTS = { notification_title: 'title', notification_body: 'text' } as const

/**
 * Returns the message in the words that somebody gave to a watch, or to all of them; null: the words of the tool. Calls
 * `miss` for each part that has no equivalent.
 */
export function messageOf(watch: Values, application: Values, miss: (what: string) => void): MessageConfig | null {
  const message: MessageConfig = {}
  for (const [key, part] of Object.entries(PARTS)) {
    const text = textOf(watch[key]) || textOf(application[key])
    if (text === '' || DEFAULTS.has(text.replaceAll(NAME, '{{$1}}'))) continue
    const said = text.replaceAll(NAME, (whole, name: string) =>
      Object.hasOwn(NAMES, name) ? `{{${NAMES[name]}}}` : whole,
    )
    const fault = faultOf(text) ?? (Array.from(said).length > MESSAGE_LIMITS[part] ? 'more than is taken' : null)
    if (fault === null) message[part] = said
    else miss(`${fault} in the ${part} of notifications`)
  }
  return Object.keys(message).length === 0 ? null : message
}

const NAME = /\{\{\s*(\w+)\s*\}\}/g

function faultOf(text: string): string | null {
  const rest = text.replaceAll(NAME, (whole, name: string) => (Object.hasOwn(NAMES, name) ? '' : whole))
  const [left] = /\{\{.*?\}\}|\{%.*?%\}|\{\{|\{%/s.exec(rest) ?? []
  if (left !== undefined) return left.slice(0, 60)
  return /<\w+[^>]*>/.test(text) ? 'HTML' : null
}

/**
 * Returns the destinations with the message where it is theirs, and what is left of it for the monitor. The tool sends
 * its text as the body of a request, where it may hold a key.
 */
export function withMessage(
  deliveries: readonly object[],
  message: MessageConfig | null,
): { readonly deliveries: readonly object[]; readonly message?: MessageConfig } {
  const isRequest = (one: object) => 'service' in one && one.service === 'custom'
  const body = message?.text
  const isForOthers = message !== null && deliveries.some((one) => !isRequest(one))
  return {
    deliveries: deliveries.map((one) =>
      isRequest(one) && !('body' in one) && body !== undefined ? { ...one, body } : one,
    ),
    ...(isForOthers && { message }),
  }
}
