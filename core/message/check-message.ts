import type { MessageConfig } from '../../schema/monitor/message.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { nameFault, type NamedBy } from './name-faults.ts'
import type { NameFault } from './parse-names.ts'
import { bodyTemplate, type Template, textTemplate } from './render-message.ts'

const READ = { title: textTemplate, text: textTemplate, body: bodyTemplate } as const

/** Returns every fault of the names of a message, with its column: counted in characters from 1. */
export function messageIssues(message: MessageConfig, by: NamedBy): readonly Issue[] {
  return (['title', 'text', 'body'] as const).flatMap((path) => {
    const text = message[path]
    if (text === undefined) return []
    const template = READ[path](text)
    return faultsOf(template, by).map(({ at, message: said }) => ({
      path,
      message: `column ${Array.from(text.slice(0, at)).length + 1}: ${said}`,
    }))
  })
}

function faultsOf({ parts, faults }: Template, by: NamedBy): readonly NameFault[] {
  const unknown = parts.flatMap((part) => ('path' in part ? (nameFault(part.path, by) ?? []) : []))
  return [...faults, ...unknown].toSorted((one, other) => one.at - other.at)
}
