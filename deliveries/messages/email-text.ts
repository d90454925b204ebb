import { isolate } from '../../core/text/clean-text.ts'
import type { Change } from './change.ts'
import type { EmailStory } from './email-story.ts'
import { arrow, type ChangedLine } from './story.ts'

/** Returns the text part of a mail: paragraphs with an empty line between them. */
export function emailText(story: EmailStory): string {
  const { name, own, changes, others, notes, lines, page, action, footer } = story
  const where = [
    ...(action === null ? [] : [`${action.line} ${action.url}`]),
    ...(page === null ? [] : [`The page: ${page.url ?? page.text}`]),
  ]
  const paragraphs = [
    name,
    ...(own === null ? [] : [own.text]),
    ...changes.map(changeText),
    ...(others === null ? [] : [`… ${others}.`]),
    ...notes,
    ...(lines.length === 0 ? [] : [lines.map(lineText).join('\n')]),
    ...(where.length === 0 ? [] : [where.join('\n')]),
    `-- \n${footer}`,
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
