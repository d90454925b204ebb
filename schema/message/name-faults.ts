import type { MonitorKind } from '../resource-kind.ts'
import { MESSAGE_NAMES } from './message.ts'
import type { NameFault, NamePath } from './parse-names.ts'

/** What decides which names a monitor has. */
export interface NamedBy {
  readonly kind: MonitorKind
  /** The names of its fields. */
  readonly fields: readonly string[]
}

const KNOWN = Object.entries(MESSAGE_NAMES).map(([name, { ...about }]) => ({ steps: name.split('.'), about }))

/** Returns why a message cannot have the name; null: it can. `by`: null where the monitor is not known. */
export function nameFault(path: NamePath, by: NamedBy | null): NameFault | null {
  const [first, second] = path
  if (!first) return null
  const { at } = first
  const said = path.map(({ text }) => text).join('.')
  const found = KNOWN.find(
    ({ steps }) =>
      steps.length === path.length && steps.every((step, index) => step === '*' || step === path[index]?.text),
  )
  if (!found) return { at, message: `${said} is no name that a message has` }
  if (by === null) return null
  const { kind, fields } = by
  const { of = kind } = found.about as { readonly of?: MonitorKind }
  if (of !== kind) return { at, message: `${said} is a name of other monitors: this one has no ${first.text}` }
  const isOfField = second !== undefined && (first.text === 'fields' || first.text === 'lists')
  if (!isOfField || fields.includes(second.text)) return null
  return { at: second.at, message: `extract_config has no field ${JSON.stringify(second.text)}` }
}
