import { cleanText, isolate } from '../../core/text/clean-text.ts'
import type { SerpAnalysisBlock, SerpBlock } from '../../schema/serp/serp-result.ts'
import type { Change } from './change.ts'
import { shorten } from './shorten.ts'

const NAME = 80
const TITLE = 160

/** Returns a movement of a rank as people read it: `#12 → #8 (up 4)`. */
export function rankChange({ keyword, target_domain, rank, previous_rank, rank_delta }: SerpBlock): Change {
  return {
    field: `${isolate(shorten(cleanText(target_domain), NAME))} for ${quoted(keyword)}`,
    before: placeOf(previous_rank),
    after: placeOf(rank),
    note: noteOf(rank, previous_rank, rank_delta),
    isShort: true,
    items: null,
  }
}

const quoted = (keyword: string): string => `“${isolate(shorten(cleanText(keyword), NAME))}”`
const placeOf = (rank: number | null): string => (rank === null ? 'not listed' : `#${rank}`)

function noteOf(rank: number | null, previous: number | null, delta: number | null): string | null {
  if (previous === null) return 'entered the results'
  if (rank === null) return 'left the results'
  if (delta === null || delta === 0) return null
  return delta > 0 ? `up ${delta}` : `down ${-delta}`
}

type Listed = SerpAnalysisBlock['results'][number]

/** Returns the differences of two lists of results, in the order of the new one, with what is gone at the end. */
export function resultsChange({ keyword, results, previous_results: previous }: SerpAnalysisBlock): Change {
  const left = [...previous]
  const lines: string[] = []
  const counts = { new: 0, moved: 0, changed: 0, gone: 0 }
  for (const result of results) {
    const before = take(left, result)
    const line = before ? differs(result, before) : { kind: 'new' as const, text: `+ ${shown(result)}` }
    if (line === null) continue
    counts[line.kind] += 1
    lines.push(line.text)
  }
  for (const gone of left) {
    counts.gone += 1
    lines.push(`− ${shown(gone)}`)
  }
  const note = Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []))
  return {
    field: `Results for ${quoted(keyword)}`,
    before: countOf(previous.length),
    after: countOf(results.length),
    note: note.join(', ') || 'changed',
    isShort: false,
    items: { lines, total: lines.length },
  }
}

const countOf = (count: number): string => (count === 1 ? '1 result' : `${count} results`)

/** Takes the result of the previous list that is the same: same site and title, else the same site at the same rank. */
function take(left: Listed[], { domain, title, rank }: Listed): Listed | null {
  const same = left.findIndex((one) => one.domain === domain && one.title === title)
  const at = same >= 0 ? same : left.findIndex((one) => one.domain === domain && one.rank === rank)
  return at < 0 ? null : (left.splice(at, 1)[0] ?? null)
}

function differs(now: Listed, before: Listed): { readonly kind: 'moved' | 'changed'; readonly text: string } | null {
  if (now.rank !== before.rank) return { kind: 'moved', text: `#${before.rank} → ${shown(now)}` }
  if (now.title !== before.title) return { kind: 'changed', text: `${shown(now)} (was “${titleOf(before)}”)` }
  return now.description === before.description ? null : { kind: 'changed', text: `${shown(now)} (another snippet)` }
}

const titleOf = ({ title }: Listed): string => isolate(shorten(cleanText(title), TITLE))
const siteOf = ({ domain }: Listed): string =>
  isolate(shorten(cleanText(domain.replace(/^https?:\/\//, '').replace(/\/$/, '')), NAME))

function shown(result: Listed): string {
  const site = siteOf(result)
  return `#${result.rank} ${titleOf(result)}${site === '' ? '' : ` · ${site}`}`
}
