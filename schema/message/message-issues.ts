import type { Issue } from '../validation/issue.ts'
import { bodyTemplate, type Template, textTemplate } from './message-template.ts'
import type { MessageConfig } from './message.ts'
import { nameFault, type NamedBy } from './name-faults.ts'
import type { NameFault } from './parse-names.ts'

/** Returns every fault of the names of a message. `by`: what decides which names there are; null: any monitor. */
export function messageIssues(message: MessageConfig, by: NamedBy | null): readonly Issue[] {
  return (['title', 'text'] as const).flatMap((path) => {
    const text = message[path]
    return text === undefined ? [] : issuesOf(text, path, textTemplate(text), by)
  })
}

/** Returns the same for the body of a request. */
export const bodyIssues = (body: string, by: NamedBy | null): readonly Issue[] =>
  issuesOf(body, '', bodyTemplate(body), by)

/** Each with its column, counted in characters from 1. */
function issuesOf(text: string, path: string, { parts, faults }: Template, by: NamedBy | null): readonly Issue[] {
  const unknown = parts.flatMap((part) => ('path' in part ? (nameFault(part.path, by) ?? []) : []))
  const sorted: readonly NameFault[] = [...faults, ...unknown].toSorted((one, other) => one.at - other.at)
  return sorted.map(({ at, message }) => ({
    path,
    message: `column ${Array.from(text.slice(0, at)).length + 1}: ${message}`,
  }))
}
