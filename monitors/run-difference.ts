import type { NotFound } from '../core/outcome.ts'
import type { TextPair } from '../runners/text-diff/diff-texts.ts'
import type { TextDiffer } from '../runners/text-diff/text-differ.ts'
import type { RunDiff } from '../schema/run/run-diff.ts'
import { WORK } from '../schema/work.ts'
import type { Queryable } from '../store/db/client.ts'
import { findRunTexts, type RunTexts } from '../store/runs/page-texts.ts'
import { findRun } from '../store/runs/runs.ts'
import type { Left } from './outcome.ts'

/** The run has no difference of texts, and why. */
export interface NoTexts {
  readonly kind: 'no_texts'
  readonly why:
    | 'not_done'
    | 'no_difference'
    | 'no_text'
    | 'not_text'
    | 'gone'
    | 'itself'
    | 'no_other'
    | 'failed'
    | 'seen'
    | 'nothing_seen'
}

/** The texts could not be compared in the time that there is. */
export interface NotCompared {
  readonly kind: 'not_compared'
}

export type DifferenceOutcome =
  | { readonly kind: 'done'; readonly diff: RunDiff }
  | NotFound
  | NoTexts
  | NotCompared
  | Left

export interface DifferencePorts {
  readonly store: Queryable
  /** Null: this process compares no texts. */
  readonly differ: TextDiffer | null
  /** For all texts of a run, the wait for the turn included. */
  readonly deadlineMs?: number
}

/**
 * Compares the texts that a run found to differ: the readable text of a whole page, and the values that are texts
 * before and after.
 */
export async function runDifference(
  ports: DifferencePorts,
  { teamId, id, signal }: { readonly teamId: string; readonly id: string; readonly signal?: AbortSignal | undefined },
): Promise<DifferenceOutcome> {
  const found = await findRunTexts(ports.store, teamId, id)
  if (!found) return absent(ports.store, teamId, id)
  const pairs = pairsOf(found)
  if (typeof pairs === 'string') return { kind: 'no_texts', why: pairs }
  const compared = await comparePairs(ports, pairs, { teamId, signal })
  if (compared.kind !== 'done') return compared
  return { kind: 'done', diff: { run_id: id, fields: compared.fields } }
}

/** Returns why a run has no row: it has not ended, or there is none. */
export async function absent(store: Queryable, teamId: string, id: string): Promise<NotFound | NoTexts> {
  const waits = await findRun(store, teamId, id)
  return waits ? { kind: 'no_texts', why: 'not_done' } : { kind: 'not_found', what: 'run' }
}

/** Compares pairs of texts, all within one deadline. */
export async function comparePairs(
  { differ, deadlineMs = WORK.difference.budgetMs }: DifferencePorts,
  pairs: readonly Pair[],
  { teamId, signal }: { readonly teamId: string; readonly signal?: AbortSignal | undefined },
): Promise<{ readonly kind: 'done'; readonly fields: RunDiff['fields'] } | NotCompared | Left> {
  const deadline = AbortSignal.timeout(deadlineMs)
  const whose = { key: teamId, signal: signal ? AbortSignal.any([deadline, signal]) : deadline }
  const fields: RunDiff['fields'][number][] = []
  for (const { field, of, pair } of pairs) {
    // A process without a differ says so only of a run that has something to compare.
    const difference = await differ?.diff(pair, whose)
    if (signal?.aborted) return { kind: 'left' }
    if (!difference) return { kind: 'not_compared' }
    fields.push({ field, of, ...difference })
  }
  return { kind: 'done', fields }
}

interface Pair extends Pick<RunDiff['fields'][number], 'field' | 'of'> {
  readonly pair: TextPair
}

/** Returns the texts of a difference, or why there are none. */
export function pairsOf({ diff, texts }: RunTexts): readonly Pair[] | NoTexts['why'] {
  if (!diff || diff.fields_changed.length === 0) return 'no_difference'
  // Only a whole page has texts, and it has no other field.
  const [field = 'content_hash'] = diff.fields_changed
  if (texts === 'gone') return 'gone'
  if (texts) return [{ field, of: 'page_text', pair: texts }]
  const changed = diff.fields_changed.flatMap((name): Pair[] => {
    const [before, after] = [diff.before[name], diff.after[name]]
    if (typeof before !== 'string' || typeof after !== 'string') return []
    return [{ field: name, of: 'value', pair: { before, after } }]
  })
  if (changed.every(isHash)) return changed.length > 0 ? 'no_text' : 'not_text'
  return changed
}

/** Of a page whose text was not kept. The difference of two hashes shows nothing. */
const isHash = ({ field, pair }: Pair) =>
  field === 'content_hash' && [pair.before, pair.after].every((text) => /^[0-9a-f]{64}$/.test(text))
