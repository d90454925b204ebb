import { valueOf } from '../../core/diff/diff-values.ts'
import { MADE_UP_ID } from '../../core/example-change.ts'
import { cleanText, isolate } from '../../core/text/clean-text.ts'
import { movementNote } from '../../core/text/movement-note.ts'
import { showValue } from '../../core/text/show-value.ts'
import type { ListChange } from '../../schema/run/delivery.ts'
import type { TextChange } from '../../schema/run/delivery.ts'
import type { Json } from '../../schema/shape/json.ts'
import type { Change, ListItems } from './change.ts'
import type { DigestLines } from './digest-lines.ts'
import { type Links, pageUrl, runUrl } from './links.ts'
import type { MessagePayload, NoticeMessage } from './message-payload.ts'
import type { OwnText } from './own-text.ts'
import { rankChange, resultsChange } from './serp-story.ts'
import { shorten, type Weight } from './shorten.ts'

/** A line of a page's text, on one line and not escaped, or a remark about further ones. */
export interface ChangedLine {
  readonly kind: 'removed' | 'added' | 'remark'
  readonly text: string
}

/** The content of a message, for every format. Nothing in it is escaped; everything is free of control characters. */
export interface Story {
  readonly name: string
  /** A summary in one line, for a subject or a phone's notification: at most some 300 characters. */
  readonly headline: string
  readonly changes: readonly Change[]
  /** Sentences about changes that are not a field. */
  readonly notes: readonly string[]
  /** Lines of the page that were removed or added. */
  readonly lines: readonly ChangedLine[]
  /** Null: there is no dashboard to link to. */
  readonly runUrl: string | null
  /** Null: the message is not about one monitor. */
  readonly page: { readonly text: string; readonly url: string | null } | null
  /** The time for people: `1 May 2026, 12:00 UTC`. */
  readonly time: string
  readonly firedAt: string
  /** Why the reader gets it. */
  readonly reason: string
  /** What stands in place of all that changed. Null: the user has not worded it. */
  readonly own: OwnText | null
  /** In place of all that changed: a line for each of several changes. Absent: it is about one. */
  readonly digest?: DigestLines | undefined
}

const SHORT = 72
const NAME_IN_HEADLINE = 120
const MAX_GIST = 120

export const TO_DESTINATION = 'This address is a destination of the monitor.'
const TO_OWNER = 'The owner of a team gets this mail. Its settings turn off mails about monitors: error_notifications.'

export function storyOf(payload: MessagePayload | NoticeMessage, links: Links): Story {
  if ('type' in payload) return noticeStory(payload, links)
  const story = changeStory(payload, links)
  return payload.test ? markedAsTest(story, payload) : story
}

/** Every format shows the name or the headline first. No page shows a run that was made up. */
const markedAsTest = (story: Story, { run_id }: MessagePayload): Story => ({
  ...story,
  name: `Test: ${story.name}`,
  headline: `Test: ${story.headline}`,
  runUrl: run_id === MADE_UP_ID ? null : story.runUrl,
})

function changeStory(payload: MessagePayload, links: Links): Story {
  const { diff, monitor, visual, text, serp, serp_analysis: analysis } = payload
  const isPageOnly = diff.fields_changed.length === 1 && isContentHash(payload)
  const fields = isPageOnly ? [] : diff.fields_changed.map((field) => changeOf(field, payload))
  const changes = [...(serp ? [rankChange(serp)] : []), ...(analysis ? [resultsChange(analysis)] : []), ...fields]
  const notes: string[] = []
  if (isPageOnly) notes.push(pageNote(text))
  if (visual)
    notes.push(
      `${percent(visual.change_pct)} of the picture changed; the threshold is ${percent(visual.threshold_pct)}.`,
    )
  if (changes.length + notes.length === 0) notes.push('Something changed.')
  const name = cleanText(monitor.name) || 'Monitor'
  return {
    name: isolate(name),
    headline: `${isolate(shorten(name, NAME_IN_HEADLINE))}: ${gist(changes, notes[0] ?? '')}`,
    changes,
    notes,
    lines: isPageOnly && text ? linesOf(text) : [],
    runUrl: runUrl(links, { ...payload, kind: serp || analysis ? 'serp' : 'page' }),
    page: pageOf(monitor.url),
    time: timeOf(payload.fired_at),
    firedAt: payload.fired_at,
    reason: TO_DESTINATION,
    own: null,
  }
}

function pageNote(text: TextChange | undefined): string {
  if (!text) return 'The content of the page changed.'
  const { lines_added: added, lines_removed: removed } = text
  if (added + removed === 0) return 'The content of the page changed, but not the text that a person reads.'
  return `${countedLines({ added, removed })}.`
}

/** Writes how many lines: `2 lines added, 1 removed`. */
export function countedLines({ added, removed }: { readonly added: number; readonly removed: number }): string {
  const counted = (count: number) => `${COUNT.format(count)} ${count === 1 ? 'line' : 'lines'}`
  if (removed === 0) return `${counted(added)} added`
  if (added === 0) return `${counted(removed)} removed`
  return `${counted(added)} added, ${COUNT.format(removed)} removed`
}

/** A line that shows nothing is left out. */
function linesOf({ lines_added: added, lines_removed: removed, excerpt }: TextChange): ChangedLine[] {
  const lines = excerpt.split('\n').flatMap((line): ChangedLine[] => {
    const text = isolate(cleanText(line.slice(2)))
    return text === '' ? [] : [{ kind: line.startsWith('-') ? 'removed' : 'added', text }]
  })
  const left = added + removed - lines.length
  const remark = { kind: 'remark', text: `… and ${COUNT.format(left)} more` } as const
  return left > 0 && lines.length > 0 ? [...lines, remark] : lines
}

/** A notice has its words in its payload, so every format shows them without knowing the kinds. */
function noticeStory(notice: NoticeMessage, links: Links): Story {
  const title = isolate(cleanText(notice.title))
  return {
    name: title,
    headline: title,
    changes: [],
    notes: notice.message.split('\n').map(cleanText),
    lines: [],
    runUrl: runUrl(links, { ...notice, kind: notice.monitor?.kind ?? 'page' }),
    page: notice.monitor && pageOf(notice.monitor.url),
    time: timeOf(notice.occurred_at),
    firedAt: notice.occurred_at,
    reason: notice.recipient === 'owner' ? TO_OWNER : TO_DESTINATION,
    own: null,
  }
}

function pageOf(address: string): NonNullable<Story['page']> {
  const url = pageUrl(address)
  return { url, text: shorten(url === null ? cleanText(address) : withoutScheme(url), 80) }
}

/** Returns the time for people. */
export const timeOf = (instant: string) => TIME.format(Date.parse(instant) || 0) + ' UTC'

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const COUNT = new Intl.NumberFormat('en')
const PERCENT = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const percent = (value: number) => `${PERCENT.format(value)} %`
const withoutScheme = (url: string) => url.replace(/^https?:\/\//, '').replace(/\/$/, '')

/** Returns how a field changed, in the words of messages. */
export function changeOf(
  name: string,
  { diff, lists = {}, numeric_fields: numeric = [] }: Pick<MessagePayload, 'diff' | 'lists' | 'numeric_fields'>,
): Change {
  const [from, to] = elements(valueOf(diff.before, name), valueOf(diff.after, name))
  const before = showValue(from)
  const after = showValue(to)
  const field = isolate(cleanText(name)) || 'field'
  const hasBefore = Array.isArray(from) && from.length > 0
  const list = (hasBefore || isNothing(from)) && Object.hasOwn(lists, name) ? lists[name] : undefined
  if (list) {
    const note = listNote(list, hasBefore ? BEHIND : BACK)
    return { field, before, after, note, isShort: false, items: itemsOf(list) }
  }
  const isShort = before.length + after.length <= SHORT
  return { field, before, after, note: movementNote(from, to, numeric.includes(name)), isShort, items: null }
}

/** Returns two values as they are; of two lists of one item, as JSONPath gives them, the items, as predicates do. */
function elements(from: Json, to: Json): readonly [Json, Json] {
  const one = (value: Json) => (Array.isArray(value) && value.length === 1 ? (value as readonly Json[])[0] : undefined)
  const [before, after] = [one(from), one(to)]
  return before === undefined || after === undefined ? [from, to] : [before, after]
}

const isNothing = (value: Json) => value === null || (Array.isArray(value) && value.length === 0)
const BEHIND = 'changed behind the items that are kept'
/** The list was empty only for a moment. */
const BACK = 'the items of before are back'

/** Writes how many items: `3 added, 1 removed`. `none`: what is written where no item differs. */
function listNote({ added_count: added, removed_count: removed, moved_count: moved }: ListChange, none: string) {
  const counts = [
    [added, 'added'],
    [removed, 'removed'],
    [moved, 'moved'],
  ] as const
  const named = counts.filter(([count]) => count > 0).map(([count, what]) => `${COUNT.format(count)} ${what}`)
  return named.length === 0 ? none : named.join(', ')
}

function itemsOf({ added, removed, moved, ...counts }: ListChange): ListItems {
  const lines = (mark: string, items: readonly unknown[]) =>
    items.map((item) => `${mark} ${isolate(showValue(item as Json))}`)
  return {
    lines: [...lines('+', added), ...lines('−', removed), ...lines('moved:', moved)],
    total: counts.added_count + counts.removed_count + counts.moved_count,
  }
}

/** Space for "… and 1,234,567 more". */
const MORE = 24

/** Returns the lines of a list that fit: at most `most`, each at most `width`, all together at most `room`. */
export function linesOfList(
  { lines, total }: ListItems,
  limits: { readonly most: number; readonly width: number; readonly room: number; readonly weight?: Weight },
): readonly string[] {
  const shown: string[] = []
  const { weight = () => 1 } = limits
  let room = limits.room - MORE
  for (const line of lines.slice(0, limits.most)) {
    const text = shorten(line, limits.width, weight)
    for (const character of text) room -= weight(character)
    if (--room < 0) break
    shown.push(text)
  }
  const left = total - shown.length
  return left > 0 ? [...shown, `… and ${COUNT.format(left)} more`] : shown
}

/**
 * Returns whether the only field is the hash of a full page. The hash shows that something changed, and its digits mean
 * nothing to a reader.
 */
export function isContentHash({ diff: { fields_changed, before, after } }: Pick<MessagePayload, 'diff'>): boolean {
  const isHash = (value: Json = null) => typeof value === 'string' && /^[0-9a-f]{32,}$/.test(value)
  return fields_changed[0] === 'content_hash' && isHash(before['content_hash']) && isHash(after['content_hash'])
}

function gist(changes: readonly Change[], note: string): string {
  const [first, second, ...rest] = changes
  if (first === undefined) return note.charAt(0).toLowerCase() + note.slice(1).replace(/\.$/, '')
  if (second === undefined) return gistOf(first)
  if (rest.length === 0) return `${first.field} and ${second.field} changed`
  return `${first.field}, ${second.field} and ${rest.length} more changed`
}

/** Returns a change in a few words: its values where they are short. */
export function gistOf(change: Change): string {
  if (change.items) return listGist(change, change.items)
  return change.isShort ? `${change.field} ${arrow(change)}` : `${change.field} changed`
}

/** A single new item is named: `headlines: + A storm`. */
function listGist({ field, note }: Change, { lines, total }: ListItems): string {
  return `${field}: ${total === 1 && lines[0] !== undefined ? shorten(lines[0], MAX_GIST) : note}`
}

/** Writes a change on one line: `$19.99 → $17.49 (−12.5 %)`. */
export function arrow({ before, after, note }: Pick<Change, 'before' | 'after' | 'note'>): string {
  return `${isolate(before)} → ${isolate(after)}${note === null ? '' : ` (${note})`}`
}

/** Returns the changes that a message shows, and a line about the others. */
export function firstOf(changes: readonly Change[], most: number): { shown: readonly Change[]; others: string | null } {
  const left = changes.length - most
  return {
    shown: changes.slice(0, most),
    others: left > 0 ? `and ${left} more changed ${left === 1 ? 'field' : 'fields'}` : null,
  }
}
