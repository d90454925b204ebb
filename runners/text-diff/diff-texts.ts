import { diffWordsWithSpace, structuredPatch } from 'diff'
import type { TextChange } from '../../schema/run/delivery.ts'
import type { TextDiff, WordPart } from '../../schema/run/run-diff.ts'

/** Two texts, of a run and of the one before it. */
export interface TextPair {
  readonly before: string
  readonly after: string
}

/** The search for the shortest difference ends after this time; the longest ends of both texts are always found. */
const LINES_MS = 1_000
/** The same for the words of all lines together. A block of lines with more characters is not compared by word. */
const WORDS_MS = 1_000
const MAX_CHARACTERS = 40_000
/** Unchanged lines around a change. */
const CONTEXT = 3

/**
 * Compares two texts by line and by word. Texts that differ so much that the shortest difference is not found in time
 * are compared coarsely: all between their common beginning and their common end is removed and added. It runs in a
 * thread that can be ended (text-differ.ts): a hostile text may need all of its time.
 */
export function diffTexts({ before, after }: TextPair): TextDiff {
  const { hunks, isCoarse } = hunksOf(before, after)
  const until = performance.now() + WORDS_MS
  return {
    unified: hunks.map(unifiedOf).join(''),
    words: hunks.map((hunk) => ({
      before_line: hunk.oldStart,
      after_line: hunk.newStart,
      parts: wordsOf(hunk, until),
    })),
    lines_added: countOf(hunks, '+'),
    lines_removed: countOf(hunks, '-'),
    coarse: isCoarse,
  }
}

/** A stretch of lines with a change, in the form of a unified diff: each line with its mark in front. */
interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

function hunksOf(before: string, after: string): { hunks: readonly Hunk[]; isCoarse: boolean } {
  if (before === after) return { hunks: [], isCoarse: false }
  // A line end after the last line, so that a text without one needs no remark.
  const [one, other] = [`${before}\n`, `${after}\n`]
  const patch = structuredPatch('', '', one, other, '', '', { context: CONTEXT, timeout: LINES_MS })
  return patch ? { hunks: patch.hunks, isCoarse: false } : { hunks: [coarseHunk(before, after)], isCoarse: true }
}

function coarseHunk(before: string, after: string): Hunk {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const [from, behind] = [Math.max(0, head - CONTEXT), Math.min(tail, CONTEXT)]
  const oldEnd = old.length - tail
  const nowEnd = now.length - tail
  return {
    oldStart: from + 1,
    oldLines: oldEnd + behind - from,
    newStart: from + 1,
    newLines: nowEnd + behind - from,
    lines: [
      ...old.slice(from, head).map((line) => ` ${line}`),
      ...old.slice(head, oldEnd).map((line) => `-${line}`),
      ...now.slice(head, nowEnd).map((line) => `+${line}`),
      ...old.slice(oldEnd, oldEnd + behind).map((line) => ` ${line}`),
    ],
  }
}

function unifiedOf({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  const range = (start: number, count: number) =>
    count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${textOf(lines)}`
}

const countOf = (hunks: readonly Hunk[], mark: string) =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0)

/** Lines of a hunk that belong together: unchanged ones, or removed ones with the added ones behind them. */
interface Block {
  readonly same: string[]
  readonly removed: string[]
  readonly added: string[]
}

function blocksOf({ lines }: Hunk): Block[] {
  const blocks: Block[] = []
  let last: Block | undefined
  for (const line of lines) {
    const kind = line.startsWith('-') ? 'removed' : line.startsWith('+') ? 'added' : 'same'
    const isBoundary = kind === 'same' ? last?.same.length === 0 : kind === 'removed' && last?.added.length !== 0
    if (last === undefined || isBoundary || (kind !== 'same' && last.same.length > 0))
      blocks.push((last = { same: [], removed: [], added: [] }))
    last[kind].push(line.slice(1))
  }
  return blocks
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

function wordsOf(hunk: Hunk, until: number): WordPart[] {
  return blocksOf(hunk).flatMap(({ same, removed, added }) =>
    same.length > 0
      ? [{ kind: 'same' as const, text: textOf(same) }]
      : wordsOfBlock(textOf(removed), textOf(added), until),
  )
}

function wordsOfBlock(removed: string, added: string, until: number): WordPart[] {
  const timeout = until - performance.now()
  const isSmall = removed.length + added.length <= MAX_CHARACTERS
  const parts =
    removed !== '' && added !== '' && isSmall && timeout > 0
      ? diffWordsWithSpace(removed, added, { timeout })
      : undefined
  if (!parts) return [part('removed', removed), part('added', added)].filter(({ text }) => text !== '')
  return parts.map((found) => part(found.removed ? 'removed' : found.added ? 'added' : 'same', found.value))
}

const part = (kind: WordPart['kind'], text: string): WordPart => ({ kind, text })

/** The size of an excerpt: lines, characters of a line, and characters of a long line before its first difference. */
const MAX_LINES = 12
const MAX_LINE = 160
const LEAD = 32

/** Compares two texts for a message. */
export function excerptTexts({ before, after }: TextPair): TextChange {
  const { hunks } = hunksOf(before, after)
  const shown: string[] = []
  for (const { removed, added } of hunks.flatMap(blocksOf)) {
    for (let index = 0; index < Math.max(removed.length, added.length) && shown.length < MAX_LINES; index += 1)
      shown.push(...pairOf(removed[index], added[index]))
  }
  const lines_added = countOf(hunks, '+')
  const lines_removed = countOf(hunks, '-')
  return { lines_added, lines_removed, excerpt: shown.slice(0, MAX_LINES).join('\n') }
}

/** Shows a removed line and the added one in its place from where they differ. */
function pairOf(removed: string | undefined, added: string | undefined): string[] {
  const start = removed !== undefined && added !== undefined ? firstShown(removed, added) : 0
  return [
    ...(removed === undefined ? [] : [`- ${cut(removed, start)}`]),
    ...(added === undefined ? [] : [`+ ${cut(added, start)}`]),
  ]
}

function firstShown(one: string, other: string): number {
  if (Math.max(one.length, other.length) <= MAX_LINE) return 0
  let common = 0
  while (common < one.length && one.charCodeAt(common) === other.charCodeAt(common)) common += 1
  const start = common - LEAD
  if (start <= 0) return 0
  const space = one.lastIndexOf(' ', start)
  return start - space < LEAD ? space + 1 : start
}

function cut(line: string, start: number): string {
  const rest = line.slice(start, start + MAX_LINE).toWellFormed()
  return `${start > 0 ? '…' : ''}${rest}${start + MAX_LINE < line.length ? '…' : ''}`
}
