import { diffIfLists } from '../../core/diff/diff-lists.ts'
import { valueOf } from '../../core/diff/diff-values.ts'
import { showValue } from '../../core/text/show-value.ts'
import type { Change } from '../../deliveries/messages/change.ts'
import { rankChange, resultsChange } from '../../deliveries/messages/serp-story.ts'
import { shortenBoth } from '../../deliveries/messages/shorten.ts'
import { arrow, changeOf, countedLines, isContentHash, linesOfList } from '../../deliveries/messages/story.ts'
import type { RunDiff } from '../../schema/run/run-diff.ts'
import type { RunImages } from '../../schema/run/run-images.ts'
import type { Diff, Run } from '../../schema/run/run.ts'
import type { Json } from '../../schema/shape/json.ts'
import { clipped } from '../output.ts'

/**
 * What all commands say of a change: the words of the messages about it. Nothing in it is made safe for a terminal,
 * which writes the marks around text from right to left as escapes. So these are left out.
 */

const MAX_VALUE = 40
const LONG_VALUE = 400
const LISTED = { most: 12, width: 200, room: 4_000 } as const
const MAX_LINES = 20
const PERCENT = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const COUNT = new Intl.NumberFormat('en')

const percent = (value: number) => `${PERCENT.format(value)} %`
const plain = (text: string) => text.replaceAll(/[\u2066-\u2069]/g, '')

/** The last column of a table has 200 characters: so many are for the values where there are warnings too. */
const BESIDE_WARNINGS = 80

/** Returns what a run found, in a line: the fault, what changed, or the values; and its warnings. */
export function resultOf(run: Run): string {
  const found = foundBy(run)
  const warnings = (run.warnings ?? []).map((text) => `warning: ${text}`)
  return warnings.length === 0 ? found : [clipped(found, BESIDE_WARNINGS), ...warnings].join('; ')
}

function foundBy(run: Run): string {
  if (run.status === 'error') return run.error_message ?? run.error_code ?? 'failed'
  if (run.status !== 'success') return '-'
  const changes = [...fieldGists(run), ...pictureOf(run)]
  if (changes.length > 0) return changes.join(', ')
  if (run.organic_results) return searchGist(run)
  return Object.entries(run.extracted)
    .map(([name, value]) => `${plain(name)}: ${short(showValue(value as Json))}`)
    .join(', ')
}

const short = (text: string) => clipped(plain(text), MAX_VALUE)

/** Returns the difference of a run; null where it found none. */
function diffOf({ diff }: Run): Diff | null {
  return 'fields_changed' in diff && diff.fields_changed.length > 0 ? diff : null
}

function fieldGists(run: Run): readonly string[] {
  const diff = diffOf(run)
  if (!diff) return []
  if (isPage(diff)) return ['the page changed']
  // A value of which the list of runs has only the beginning would be compared wrongly.
  const isCut = (name: string) => run.truncated?.some((path) => path.startsWith('diff.') && path.endsWith(`.${name}`))
  return diff.fields_changed.map((name) => {
    if (isCut(name)) return `${plain(name)} changed`
    const { field, before, after, note, items } = fieldChange(name, diff)
    if (items) return plain(`${field}: ${items.total === 1 ? short(items.lines[0] ?? '') : note}`)
    return plain(`${field}: ${arrow({ before: short(before), after: short(after), note })}`)
  })
}

/** Returns whether a run says of itself that something differs. */
export const saysChange = (run: Run): boolean => diffOf(run) !== null || pictureOf(run).length > 0

/** Returns whether all that differs is the hash of a whole page. */
const isPage = (diff: Diff) =>
  diff.fields_changed.length === 1 && isContentHash({ diff: diff as Diff & { before: Values; after: Values } })

type Values = Readonly<Record<string, Json>>

function fieldChange(name: string, diff: Diff): Change {
  const values = diff as Diff & { before: Values; after: Values }
  return changeOf(name, { diff: values, lists: listChange(name, values) })
}

/** Returns how a field that is a list before and after differs. */
function listChange(name: string, { before, after }: { before: Values; after: Values }) {
  const found = diffIfLists(valueOf(before, name), valueOf(after, name))
  if (!found) return {}
  const { added, removed, moved } = found
  const counts = { added_count: added.length, removed_count: removed.length, moved_count: moved.length }
  return { [name]: { added: [...added], removed: [...removed], moved: [...moved], ...counts } }
}

const pictureOf = ({ visual_change_pct: pct = 0 }: Run) => (pct > 0 ? [`picture: ${percent(pct)} changed`] : [])

function searchGist({ organic_results: results = [], target_rank: rank, rank_delta: delta }: Run): string {
  const moved = delta ? ` (${delta > 0 ? `up ${delta}` : `down ${-delta}`})` : ''
  return `${results.length} results${rank === undefined || rank === null ? '' : `, rank ${rank}${moved}`}`
}

/** A line about a change. */
export interface ChangeLine {
  /** Lines of depth 1 belong to the line of depth 0 before them. */
  readonly depth: 0 | 1
  readonly kind: 'said' | 'added' | 'removed' | 'link'
  readonly text: string
}

/** What is known of a change beside its run. */
export interface Known {
  /** The differences of its texts. A text: why there are none. */
  readonly texts: RunDiff['fields'] | string | null
  readonly images: RunImages | null
  readonly search: SearchKnown | null
}

/** What is known of a search: what it looks for, and its results before. */
export interface SearchKnown {
  readonly keyword: string
  readonly target: string | null
  readonly before: Run
}

/** Returns whether the texts of a run say more than its difference: a whole page, and values of several lines. */
export function hasTexts(run: Run): boolean {
  const diff = diffOf(run)
  if (!diff) return false
  const isLong = (value: unknown) => typeof value === 'string' && value.includes('\n')
  return isPage(diff) || diff.fields_changed.some((name) => isLong(diff.before[name]) && isLong(diff.after[name]))
}

/** Returns all that is known of what changed. */
export function changeLines(run: Run, { texts, images, search }: Known): readonly ChangeLine[] {
  const diff = diffOf(run)
  const fields = diff ? (isPage(diff) ? pageLines(texts) : diff.fields_changed.flatMap(ofField)) : []
  return [...(search ? searchLines(run, search) : []), ...fields, ...pictureLines(run, images)]

  function ofField(name: string): readonly ChangeLine[] {
    const text = Array.isArray(texts) ? texts.find(({ field, of }) => field === name && of === 'value') : undefined
    return text ? textLines(plain(name), text) : linesOfChange(fieldChange(name, diff as Diff))
  }
}

const said = (text: string, depth: 0 | 1 = 0): ChangeLine => ({ depth, kind: 'said', text: plain(text) })

function linesOfChange(change: Change): readonly ChangeLine[] {
  const { field, before, after, note, isShort, items } = change
  if (items) return [said(`${field}: ${note ?? ''}`), ...linesOfList(items, LISTED).map((text) => marked(text))]
  if (isShort) return [said(`${field}: ${arrow({ before, after, note })}`)]
  const [from, to] = shortenBoth(before, after, LONG_VALUE)
  return [said(`${field}:${note === null ? '' : ` ${note}`}`), marked(`− ${from}`), marked(`+ ${to}`)]
}

function marked(text: string): ChangeLine {
  const kind = text.startsWith('+ ') ? 'added' : text.startsWith('− ') ? 'removed' : 'said'
  return { depth: 1, kind, text: plain(text) }
}

function pageLines(texts: Known['texts']): readonly ChangeLine[] {
  if (!Array.isArray(texts)) return [said(`the page changed${typeof texts === 'string' ? `: ${texts}` : ''}`)]
  return texts.flatMap((text) => textLines('the page', text))
}

function textLines(name: string, text: RunDiff['fields'][number]): readonly ChangeLine[] {
  const { lines_added: added, lines_removed: removed, unified } = text
  if (added + removed === 0) return [said(`${name} changed, but not the text that a person reads`)]
  const changed = unified.split('\n').flatMap((line): ChangeLine[] => {
    const mark = { '-': '−', '+': '+' }[line.charAt(0)]
    return mark === undefined || line.slice(1).trim() === '' ? [] : [marked(`${mark} ${line.slice(1)}`)]
  })
  const left = changed.length - MAX_LINES
  const more = left > 0 ? [said(`… and ${COUNT.format(left)} more`, 1)] : []
  return [said(`${name}: ${countedLines({ added, removed })}`), ...changed.slice(0, MAX_LINES), ...more]
}

function pictureLines(run: Run, images: RunImages | null): readonly ChangeLine[] {
  const regions = images?.regions.filter(({ hasChanges }) => hasChanges) ?? []
  return pictureOf(run).flatMap((text) => [
    said(text),
    ...regions.flatMap(({ label, changedPct, diffUrl, afterUrl }): ChangeLine[] => [
      said(`${label}: ${percent(changedPct)}; the picture can be seen for five minutes:`, 1),
      { depth: 1, kind: 'link', text: diffUrl ?? afterUrl },
    ]),
  ])
}

const listed = ({ organic_results: results = [] }: Run) =>
  results.map(({ position: rank, title, description, domain }) => ({
    rank,
    title,
    description: description ?? '',
    domain,
  }))

function searchLines(run: Run, { keyword, target, before }: NonNullable<Known['search']>): readonly ChangeLine[] {
  const [rank = null, previous = null] = [run.target_rank, before.target_rank]
  const isMoved = target !== null && rank !== previous
  const moved = {
    keyword,
    target_domain: target ?? '',
    rank,
    previous_rank: previous,
    rank_delta: run.rank_delta ?? null,
  }
  const results = resultsChange({ keyword, results: listed(run), previous_results: listed(before) })
  return [...(isMoved ? linesOfChange(rankChange(moved)) : []), ...linesOfChange(results)]
}
