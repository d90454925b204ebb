import { MESSAGE_LIMITS, type MessageConfig } from '../../schema/message/message.ts'
import { textOf, type Values } from './imported.ts'

/** The names of the tool, and those of a message here that say the same. */
const NAMES: Readonly<Record<string, string>> = {
  watch_url: 'monitor.url',
  watch_title: 'monitor.name',
  watch_uuid: 'monitor.id',
  diff_url: 'run.url',
  diff: 'changes',
}

/** The names of the tool, and those of a message here that are the nearest to them. */
const NEAR: Readonly<Record<string, string>> = {
  diff_added: 'changes',
  diff_removed: 'changes',
  diff_full: 'changes',
  diff_patch: 'changes',
  triggered_text: 'changes',
  preview_url: 'run.url',
}

const ALL = { ...NAMES, ...NEAR }

const DEFAULTS: ReadonlySet<string> = new Set([
  'ChangeDetection.io Notification - {{watch_url}}',
  '{{watch_url}} had a change.\n---\n{{diff}}\n---',
])

const PARTS = { notification_title: 'title', notification_body: 'text' } as const

/**
 * Returns the message in the words that somebody gave to a watch, or to all of them; null: the words of the tool. Calls
 * `miss` for each name or part that has no equivalent, or only a near one.
 */
export function messageOf(watch: Values, application: Values, miss: (what: string) => void): MessageConfig | null {
  const message: MessageConfig = {}
  for (const [key, part] of Object.entries(PARTS)) {
    const text = textOf(watch[key]) || textOf(application[key])
    if (text === '' || DEFAULTS.has(text.replaceAll(NAME, '{{$1}}'))) continue
    const said = text.replaceAll(NAME, (whole, name: string) => (Object.hasOwn(ALL, name) ? `{{${ALL[name]}}}` : whole))
    const faults = faultsOf(text)
    if (faults.length === 0 && Array.from(said).length > MESSAGE_LIMITS[part]) faults.push('more than is taken')
    for (const fault of faults) miss(`${fault} in the ${part} of notifications`)
    if (faults.length > 0) continue
    message[part] = said
    for (const name of nearNamesOf(text))
      miss(`{{${name}}} in the ${part} of notifications, which becomes {{${NEAR[name]}}}`)
  }
  return Object.keys(message).length === 0 ? null : message
}

const NAME = /\{\{\s*(\w+)\s*\}\}/g

const nearNamesOf = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(NAME), ([, name = '']) => name).filter((name) => Object.hasOwn(NEAR, name)))

/** Returns what a text has that cannot be converted, each once. */
function faultsOf(text: string): string[] {
  const rest = text.replaceAll(NAME, (whole, name: string) => (Object.hasOwn(ALL, name) ? '' : whole))
  const left = Array.from(rest.matchAll(/\{\{.*?\}\}|\{%.*?%\}|\{\{|\{%/gs), ([whole]) => whole.slice(0, 60))
  // The end of a block is left out with its begin.
  const begun = left.filter((one) => !one.startsWith('{% end'))
  return [...new Set([...begun, ...(/<\w+[^>]*>/.test(text) ? ['HTML'] : [])])]
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
