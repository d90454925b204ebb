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

/** A text full of braces has thousands of faults. */
const MOST_FAULTS = 10

/** Returns the first ones, each with its column, counted in characters from 1. */
function issuesOf(text: string, path: string, template: Template, by: NamedBy | null): readonly Issue[] {
  const sorted = [...template.faults, ...unknownNames(template, by)].toSorted((one, other) => one.at - other.at)
  return sorted.slice(0, MOST_FAULTS).map(({ at, message }) => ({
    path,
    message: `column ${Array.from(text.slice(0, at)).length + 1}: ${message}`,
  }))
}

/** Looks at each name once. */
function unknownNames({ parts }: Template, by: NamedBy | null): readonly NameFault[] {
  const valid = new Set<string>()
  const faults: NameFault[] = []
  for (const part of parts) {
    if (faults.length === MOST_FAULTS) break
    if (!('path' in part)) continue
    const name = part.path.map(({ text }) => text).join('\0')
    if (valid.has(name)) continue
    const fault = nameFault(part.path, by)
    if (fault) faults.push(fault)
    else valid.add(name)
  }
  return faults
}
