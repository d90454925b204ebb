import { isolate } from './clean-text.ts'
import type { EmailStory } from './email-story.ts'
import { arrow, type Change, type ChangedLine } from './story.ts'

/** Returns the text part of a mail: paragraphs with an empty line between them. */
export function emailText({ name, changes, others, notes, lines, page, runUrl, time }: EmailStory): string {
  const paragraphs = [
    name,
    ...changes.map(changeText),
    ...(others === null ? [] : [`… ${others}.`]),
    ...notes,
    ...(lines.length === 0 ? [] : [lines.map(lineText).join('\n')]),
    `${runUrl === null ? '' : `The run:  ${runUrl}\n`}The page: ${page.url ?? page.text}`,
    `-- \nSeen by Tidemark on ${time}. This address is a destination of the monitor.`,
  ]
  return `${paragraphs.join('\n\n')}\n`
}

const MARKS: Readonly<Record<ChangedLine['kind'], string>> = { removed: '  - ', added: '  + ', remark: '  ' }
const lineText = ({ kind, text }: ChangedLine) => MARKS[kind] + text

function changeText(change: Change): string {
  if (change.isShort) return `${change.field}\n  ${arrow(change)}`
  const { field, before, after, note, items } = change
  if (items) return [`${field} (${note})`, ...items.lines.map((line) => `  ${line}`)].join('\n')
  return `${field}${note === null ? '' : ` (${note})`}\n  before: ${isolate(before)}\n  now:    ${isolate(after)}`
}
