import { diffValues, valueOf } from '../core/diff/diff-values.ts'
import { runIdMonitor, runIdTime } from '../core/run-id.ts'
import { percentMoved } from '../core/text/movement-note.ts'
import type { RunDiff } from '../schema/run/run-diff.ts'
import type { Diff } from '../schema/run/run.ts'
import type { Values } from '../schema/shape/json.ts'
import type { Reader } from '../store/overview/seen-until.ts'
import { type ComparedRun, findComparedRuns } from '../store/runs/compared-runs.ts'
import { findPageTexts, type RunTexts } from '../store/runs/page-texts.ts'
import { findRun } from '../store/runs/runs.ts'
import {
  absent,
  comparePairs,
  type DifferenceOutcome,
  type DifferencePorts,
  type NoTexts,
  pairsOf,
} from './run-difference.ts'

interface WantedRuns {
  readonly reader: Reader
  readonly id: string
  /** The id of another run of the monitor; `seen`: the newest one that the reader has seen. */
  readonly against: string
  readonly signal?: AbortSignal | undefined
}

/** Compares the values and the texts of a run with those of another run of its monitor. */
export async function differenceOfRuns(ports: DifferencePorts, wanted: WantedRuns): Promise<DifferenceOutcome> {
  const { reader, id, against } = wanted
  const { teamId } = reader
  if (against.toLowerCase() === id.toLowerCase()) return { kind: 'no_texts', why: 'itself' }
  const { run, other } = await findComparedRuns(ports.store, wanted)
  if (!run) return absent(ports.store, teamId, id)
  if (against === 'seen' && run.is_seen) return { kind: 'no_texts', why: 'seen' }
  if (!other) return against === 'seen' ? { kind: 'no_texts', why: 'nothing_seen' } : absentOther(ports, wanted)
  if (run.status !== 'success' || other.status !== 'success') return { kind: 'no_texts', why: 'failed' }
  return differenceOf(ports, wanted, { run, other })
}

interface TwoRuns {
  readonly run: ComparedRun
  readonly other: ComparedRun
}

async function differenceOf(
  ports: DifferencePorts,
  { reader: { teamId }, signal }: WantedRuns,
  { run, other }: TwoRuns,
): Promise<DifferenceOutcome> {
  const common = { run_id: run.id, against: { run_id: other.id, started_at: startOf(other) } }
  // What a search found are its results, and both runs have theirs.
  if (!run.values || !other.values) return { kind: 'done', diff: { ...common, fields: [] } }
  const diff = diffValues(other.values, run.values, Object.keys(run.values))
  if (!diff) return { kind: 'done', diff: { ...common, changed: NO_CHANGE, fields: [] } }
  const pairs = pairsOf({ diff, texts: await textsOf(ports, teamId, { run, other }) })
  if (typeof pairs === 'string' && pairs !== 'not_text') return { kind: 'no_texts', why: pairs }
  const compared = await comparePairs(ports, pairs === 'not_text' ? [] : pairs, { teamId, signal })
  if (compared.kind !== 'done') return compared
  return { kind: 'done', diff: { ...common, changed: { ...diff, percent: percentOf(diff) }, fields: compared.fields } }
}

const NO_CHANGE: NonNullable<RunDiff['changed']> = { fields_changed: [], before: {}, after: {}, percent: {} }

/** Returns by how much amounts changed. */
function percentOf({ fields_changed: names, before, after }: Diff): Record<string, number> {
  const percents = names.flatMap((name): [string, number][] => {
    const percent = percentMoved(valueOf(before as Values, name), valueOf(after as Values, name))
    return percent === null ? [] : [[name, percent]]
  })
  return Object.fromEntries(percents)
}

const startOf = ({ id, start_offset_ms: offset }: ComparedRun) => new Date(runIdTime(id) + offset).toISOString()

/** Returns the readable texts of a page that is watched as a whole. */
async function textsOf(
  { store }: DifferencePorts,
  teamId: string,
  { run, other }: TwoRuns,
): Promise<RunTexts['texts']> {
  if (!run.text || !other.text) return null
  const [before, after] = await findPageTexts(store, teamId, [other.text, run.text])
  return before === null || after === null ? 'gone' : { before, after }
}

/** Returns why there is no run to compare with: a waiting one has no row either. */
async function absentOther({ store }: DifferencePorts, { reader, id, against }: WantedRuns): Promise<NoTexts> {
  const isOfMonitor = runIdMonitor(id) === runIdMonitor(against)
  const waits = isOfMonitor && (await findRun(store, reader.teamId, against))
  return { kind: 'no_texts', why: waits ? 'not_done' : 'no_other' }
}
