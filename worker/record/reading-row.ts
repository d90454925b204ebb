import type { VisualBlock } from '../../core/payload.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { fieldNames } from '../../schema/monitor/extract-config.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import type { ReadingRun } from '../../store/queue/record-reading.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import { type Case, judge } from './judge.ts'
import { outboxOf } from './outbox.ts'
import { markColumns, runColumns } from './run-rows.ts'
import { vanished } from './vanished.ts'
import type { Recordable } from './recordable.ts'

/** A check that read values, to be compared with the baseline. */
export interface Read {
  readonly finished: Recordable
  readonly reading: Extract<Reading, { kind: 'values' }>
  readonly teamId: string
  /** Failures in a row before it. */
  readonly failures: number
  readonly hash: Buffer
}

/** What the visual layer adds to a run. */
export interface VisualSide {
  readonly warnings: readonly string[]
  /** Given when it fires. */
  readonly fired?: VisualBlock
}

interface Judges {
  readonly patterns: PatternMatcher
  readonly secrets: SecretBox
  readonly visual?: VisualSide
}

/** Nothing that lets the next check take its page for unchanged. */
const UNMARKED = { etag: null, last_modified: null, body_hash: null, reading_hash: null } as const

/**
 * Compares, decides, and writes out the row with what it sends; a fault where it cannot be decided, so that the
 * baseline stays and the change is seen again. Throws SealedError where the destinations cannot be opened.
 */
export async function readingRow(item: Read, baseline: Baseline, judges: Judges): Promise<ReadingRun | RunFault> {
  const { patterns, secrets, visual } = judges
  const { finished, reading } = item
  const held = caseOf(item, baseline)
  const { diff, fired, slow } = await judge(held, patterns)
  // What the pictures fire tells the whole difference.
  if (fired === 'unknown' && !visual?.fired) return undecided(slow)
  const gone = vanished({ ...held, names: held.order, missing: baseline.missing })
  const warnings = [...reading.warnings, ...(visual?.warnings ?? []), ...slow.map(decidedWithout), ...gone.warnings]
  const about = { runId: finished.task.runId, teamId: item.teamId, firedAtMs: finished.endedMs, baseline }
  return {
    ...runColumns(finished),
    ...(gone.isOpen ? UNMARKED : { ...markColumns(reading.mark), reading_hash: item.hash }),
    extracted: JSON.stringify(reading.values),
    missing: gone.missing && JSON.stringify(gone.missing),
    diff: diff && JSON.stringify(diff),
    warnings: warnings.length > 0 ? JSON.stringify(warnings.slice(0, 50)) : null,
    deliveries:
      fired || visual?.fired
        ? outboxOf({ ...about, diff, ...(visual?.fired && { visual: visual.fired }) }, secrets)
        : [],
  }
}

const undecided = (slow: readonly string[]): RunFault => ({
  code: 'extract_timeout',
  message:
    `${named(slow[0] ?? '')} took too long, so it is unknown whether this change is one to tell; the next run looks ` +
    `again. Simplify the pattern.`,
})

const decidedWithout = (pattern: string) =>
  `${named(pattern)} took too long; the outcome did not hang on it. Simplify the pattern.`

const named = (pattern: string) => `The predicate's pattern ${JSON.stringify(pattern.slice(0, 100))}`

function caseOf({ finished, reading }: Read, baseline: Baseline): Case {
  return {
    before: baseline.reading_id === null ? null : (baseline.extracted as Values),
    after: reading.values,
    order: finished.task.kind === 'page' ? fieldNames(finished.task.extract) : Object.keys(reading.values),
    predicate: baseline.diff_predicate as DiffPredicate,
  }
}
