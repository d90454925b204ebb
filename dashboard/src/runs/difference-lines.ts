import type { RunDiff } from '../api/types.ts'

type Field = RunDiff['fields'][number]
export type Part = Field['words'][number]['parts'][number]

/** A line of a text, by what differs in it. Its number is from 1. */
export interface Line {
  readonly number: number
  readonly parts: readonly Part[]
}

/** A line before beside the one after; null: the other text has none in its place. */
interface Row {
  readonly before: Line | null
  readonly after: Line | null
}

/** A stretch of a difference: lines that differ with some around them. */
export interface Hunk {
  /** How many lines that are the same stand before it, behind the hunk before. */
  readonly skipped: number
  /** The row before it belongs to the same change: a long stretch is several hunks. */
  readonly goesOn: boolean
  readonly rows: readonly Row[]
}

/** Rows of a hunk. More are several, so that those on the screen are not drawn again when more are shown. */
const MOST_ROWS = 100

/** Returns the hunks of a difference, with marks by word in each line, or with lines that differ as a whole. */
export function hunksOf(field: Field, by: 'words' | 'lines'): readonly Hunk[] {
  const all = by === 'words' ? field.words.map(byWords) : byLines(field)
  let last = 0
  return all.flatMap((rows) => {
    const first = rows.find(({ before }) => before)?.before?.number ?? last + 1
    const skipped = Math.max(0, first - last - 1)
    last = rows.findLast(({ before }) => before)?.before?.number ?? last
    return split(rows).map((part, nth, parts) => {
      const before = parts[nth - 1]?.at(-1)
      return { skipped: nth === 0 ? skipped : 0, goesOn: before !== undefined && differs(before), rows: part }
    })
  })
}

const split = (rows: readonly Row[]): readonly (readonly Row[])[] =>
  Array.from({ length: Math.ceil(rows.length / MOST_ROWS) }, (_, nth) =>
    rows.slice(nth * MOST_ROWS, (nth + 1) * MOST_ROWS),
  )

/** Returns whether something differs in a row. */
export const differs = ({ before, after }: Row): boolean =>
  before === null || after === null || hasMark(before) || hasMark(after)
const hasMark = ({ parts }: Line): boolean => parts.some(({ kind }) => kind !== 'same')

/** Lines of both texts that are made side by side, until both end together. */
class Sides {
  readonly rows: Row[] = []
  #before: Line[] = []
  #after: Line[] = []
  #parts: { before: Part[]; after: Part[] } = { before: [], after: [] }
  #next: { before: number; after: number }

  constructor(before: number, after: number) {
    this.#next = { before, after }
  }

  add(part: Part): void {
    if (part.text === '') return
    // Both texts go on alike from the beginning of a line: what was only in one of them stands before it.
    if (part.kind === 'same' && this.#parts.before.length === 0 && this.#parts.after.length === 0) this.flush()
    if (part.kind !== 'added') this.#parts.before.push(part)
    if (part.kind !== 'removed') this.#parts.after.push(part)
  }

  end(kind: Part['kind']): void {
    if (kind !== 'added') {
      this.#before.push({ number: this.#next.before++, parts: this.#parts.before })
      this.#parts.before = []
    }
    if (kind !== 'removed') {
      this.#after.push({ number: this.#next.after++, parts: this.#parts.after })
      this.#parts.after = []
    }
    if (kind === 'same') this.flush()
  }

  flush(): void {
    for (let at = 0; at < Math.max(this.#before.length, this.#after.length); at += 1)
      this.rows.push({ before: this.#before[at] ?? null, after: this.#after[at] ?? null })
    this.#before = []
    this.#after = []
  }
}

function byWords({ before_line: before, after_line: after, parts }: Field['words'][number]): readonly Row[] {
  const sides = new Sides(before, after)
  for (const { kind, text } of parts) {
    for (const [nth, line] of text.split('\n').entries()) {
      if (nth > 0) sides.end(kind)
      sides.add({ kind, text: line })
    }
  }
  sides.flush()
  return sides.rows.map(withCommonEnds)
}

/** Of lines that were too long to be compared by word, marks only what stands between their common ends. */
function withCommonEnds(row: Row): Row {
  const [old, now] = [onlyPart(row.before), onlyPart(row.after)]
  if (!row.before || !row.after || old?.kind !== 'removed' || now?.kind !== 'added') return row
  const [before, after] = [old.text, now.text]
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start += 1
  let end = 0
  while (end < most - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end))
    end += 1
  if (start + end < most / 2) return row
  const partsOf = (kind: Part['kind'], text: string): readonly Part[] =>
    [
      { kind: 'same' as const, text: text.slice(0, start) },
      { kind, text: text.slice(start, text.length - end) },
      { kind: 'same' as const, text: text.slice(text.length - end) },
    ].filter((part) => part.text !== '')
  return {
    before: { ...row.before, parts: partsOf('removed', before) },
    after: { ...row.after, parts: partsOf('added', after) },
  }
}

const onlyPart = (line: Line | null): Part | undefined => (line?.parts.length === 1 ? line.parts[0] : undefined)

const KINDS: Readonly<Record<string, Part['kind']>> = { ' ': 'same', '-': 'removed', '+': 'added' }

function byLines({ unified, words }: Field): readonly (readonly Row[])[] {
  const all: Sides[] = []
  for (const line of unified.split('\n')) {
    const kind = KINDS[line.charAt(0)]
    const place = words[all.length]
    if (line.startsWith('@@') && place) all.push(new Sides(place.before_line, place.after_line))
    if (kind === undefined) continue
    all.at(-1)?.add({ kind, text: line.slice(1) })
    all.at(-1)?.end(kind)
  }
  return all.map((sides) => {
    sides.flush()
    return sides.rows
  })
}

/** A line of both texts in one: what was removed stands before what was added. */
export interface InlineLine {
  readonly before: number | null
  readonly after: number | null
  readonly parts: readonly Part[]
}

/** Returns rows one below the other. Lines that replace each other are one line by words, and two by lines. */
export function inlineOf(rows: readonly Row[], by: 'words' | 'lines'): readonly InlineLine[] {
  return blocksOf(rows).flatMap((block) => {
    const [first] = block
    if (!first || !differs(first) || by === 'words') return block.flatMap(joined)
    return [
      ...block.flatMap(({ before }) => (before ? [{ before: before.number, after: null, parts: before.parts }] : [])),
      ...block.flatMap(({ after }) => (after ? [{ before: null, after: after.number, parts: after.parts }] : [])),
    ]
  })
}

function joined({ before, after }: Row): readonly InlineLine[] {
  if (!before || !after) {
    const parts = before?.parts ?? after?.parts ?? []
    return [{ before: before?.number ?? null, after: after?.number ?? null, parts }]
  }
  const parts: Part[] = []
  let at = 0
  for (const part of before.parts) {
    // What both lines have ends what was added before it.
    if (part.kind === 'same') at = takeAdded(after.parts, at, parts) + 1
    parts.push(part)
  }
  takeAdded(after.parts, at, parts)
  return [{ before: before.number, after: after.number, parts }]
}

/** Appends the added parts from a place on. Returns the place of the part behind them. */
function takeAdded(from: readonly Part[], at: number, to: Part[]): number {
  let next = at
  for (let part = from[next]; part?.kind === 'added'; part = from[(next += 1)]) to.push(part)
  return next
}

/** Splits rows into stretches that differ and stretches that do not. */
function blocksOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const blocks: Row[][] = []
  for (const row of rows) {
    const last = blocks.at(-1)
    if (last?.[0] && differs(last[0]) === differs(row)) last.push(row)
    else blocks.push([row])
  }
  return blocks
}
