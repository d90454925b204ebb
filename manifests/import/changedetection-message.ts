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
const LONGEST = { title: 200, text: 4_000 } as const

/**
 * Returns the message in the words that somebody gave to a watch, or to all of them; null: the words of the tool. Calls
 * `miss` for each part that has no equivalent.
 */
export function messageOf(watch: Values, application: Values, miss: (what: string) => void): object | null {
  const message: Record<string, string> = {}
  for (const [key, part] of Object.entries(PARTS)) {
    const text = textOf(watch[key]) || textOf(application[key])
    if (text === '' || DEFAULTS.has(text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, '{{$1}}'))) continue
    const fault = faultOf(text, LONGEST[part])
    if (fault === null) message[part] = text.replaceAll(NAME, (_, name: string) => `{{${NAMES[name] ?? ''}}}`)
    else miss(`${fault} in the ${part} of notifications`)
  }
  return Object.keys(message).length === 0 ? null : message
}

const NAME = /\{\{\s*(\w+)\s*\}\}/g

function faultOf(text: string, longest: number): string | null {
  const rest = text.replaceAll(NAME, (whole, name: string) => (Object.hasOwn(NAMES, name) ? '' : whole))
  const [left] = /\{\{.*?\}\}|\{%.*?%\}|\{\{|\{%/s.exec(rest) ?? []
  if (left !== undefined) return left.slice(0, 60)
  if (/<\w+[^>]*>/.test(text)) return 'HTML'
  return Array.from(text).length > longest ? 'more than is taken' : null
}
