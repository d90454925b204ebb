import type { SearchReading } from '../../schema/serp/search-reading.ts'
import type { SerpResult } from '../../schema/serp/serp-result.ts'
import type { SearchSource } from './ended-search.ts'

/** What deciding needs of a reading, as baselines store it. */
export interface StoredReading {
  readonly results: readonly SerpResult[]
  /** How many results the first page gave, the first two, and so on. Pages that were not reached are absent. */
  readonly pageEnds: readonly number[]
  /** The last page had no further one: nothing is listed beyond these results. */
  readonly isEnd: boolean
  /** A later page could not be loaded, so the check is shorter than asked for. */
  readonly isPartial: boolean
  /** The names in the page were unknown, and the results are a guess (runners/serp/). */
  readonly isGuess: boolean
}

/** Returns what deciding needs of a reading. */
export const storedReading = ({ results, page_ends, is_end, cut_by, is_guess }: SearchReading): StoredReading => ({
  results,
  pageEnds: page_ends,
  isEnd: is_end,
  isPartial: cut_by !== null,
  isGuess: is_guess,
})

/** What the next check of the same source is compared with: the last full one, and what was sent since. */
export interface ComparedReading extends StoredReading {
  /** The pages of shorter checks after it that sent an alert. Absent: there was none. Baselines are stored so. */
  readonly alerted?: StoredReading
  /** The same in a baseline that an earlier version stored. */
  readonly told?: StoredReading
  /** The rank of the last alert that a check of the other source sent since. Absent: there was none. */
  readonly rankElsewhere?: number | null
}

/** What a monitor keeps: the last full check, and that of the other source, where there was one. */
export interface KeptReading extends ComparedReading {
  /** Absent: the engine. */
  readonly source?: SearchSource
  readonly other?: ComparedReading
}

/** The results of two checks as far as both reach. */
interface Covered {
  readonly before: readonly SerpResult[]
  readonly after: readonly SerpResult[]
}

/**
 * Returns what two checks can be compared by: the pages that both obtained. A check that reached the end of the list
 * reaches as far as any other.
 */
export function covered(before: StoredReading, after: StoredReading): Covered {
  const pages = Math.min(reach(before), reach(after))
  return { before: upTo(before, pages), after: upTo(after, pages) }
}

/** Returns how many pages a check is known by. Infinity: it reached the end of the list. */
export const reach = ({ pageEnds, isEnd }: StoredReading): number => (isEnd ? Infinity : pageEnds.length)

function upTo({ results, pageEnds }: StoredReading, pages: number): readonly SerpResult[] {
  return pages >= pageEnds.length ? results : results.slice(0, pageEnds[pages - 1] ?? 0)
}

/**
 * Returns what the alerts so far say: the last full check. Where a shorter one sent an alert after it, the pages of the
 * shorter one replace the same pages of the full one.
 */
export const reportedReading = (baseline: ComparedReading): StoredReading => {
  const alerted = alertedPages(baseline)
  return alerted === undefined ? baseline : withFirstPages(baseline, alerted)
}

const alertedPages = ({ alerted, told }: ComparedReading): StoredReading | undefined => alerted ?? told

/** Returns a reading whose first pages are those of a shorter one. */
function withFirstPages(longer: StoredReading, { results, pageEnds }: StoredReading): StoredReading {
  const end = longer.pageEnds[pageEnds.length - 1] ?? longer.results.length
  const by = results.length - end
  const rest = longer.results.slice(end).map((result) => ({ ...result, position: result.position + by }))
  const laterEnds = longer.pageEnds.slice(pageEnds.length).map((at) => at + by)
  return { ...longer, results: [...results, ...rest], pageEnds: [...pageEnds, ...laterEnds] }
}

/**
 * Returns what the next check of the same source is compared with. A cut check replaces one that it covers. It does not
 * replace a longer one: what it sends is remembered beside it, so that the next alert is about what changed since. A
 * guess replaces nothing: the first right reading after it would differ from it everywhere.
 */
export function nextBaseline(
  baseline: ComparedReading | null,
  current: StoredReading,
  hasFired: boolean,
): ComparedReading | null {
  if (current.isGuess) return baseline
  if (baseline === null || !current.isPartial || reach(current) >= reach(baseline)) return current
  if (!hasFired) return baseline
  const { alerted: _, told: _earlier, rankElsewhere: _rank, ...full } = baseline
  const before = alertedPages(baseline)
  const isLonger = before !== undefined && reach(before) > reach(current)
  return { ...full, alerted: isLonger ? withFirstPages(before, current) : current }
}

/**
 * Returns what a check is compared with: the last one of the same source. An engine and a paid provider differ in
 * places, titles and texts whatever happens at the engine, so a change of the source by itself never fires. Null: there
 * was none.
 */
export function baselineOf(kept: KeptReading | null, source: SearchSource): ComparedReading | null {
  if (kept === null) return null
  const { source: own = 'engine', other, ...reading } = kept
  return source === own ? reading : (other ?? null)
}

/** A check that changes what is kept. */
interface KeptAfter {
  readonly source: SearchSource
  readonly current: StoredReading
  /** From `nextBaseline`. */
  readonly next: ComparedReading
  /** The rank that the check sent. Undefined: it sent none. */
  readonly firedRank: number | null | undefined
}

/** Returns what is kept after a check. The last one that others are compared with comes first. */
export function nextKept(kept: KeptReading | null, { source, current, next, firedRank }: KeptAfter): KeptReading {
  const opposite = source === 'engine' ? 'provider' : 'engine'
  const known = baselineOf(kept, opposite)
  const other = known && { ...known, ...(firedRank !== undefined && { rankElsewhere: firedRank }) }
  if (other === null) return { ...next, source }
  const isFirst = next === current || (kept?.source ?? 'engine') === source
  return isFirst ? { ...next, source, other } : { ...other, source: opposite, other: next }
}
