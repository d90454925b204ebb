import type { Invalid } from '../../core/outcome.ts'
import { collectPatterns } from '../../core/predicate/collect-patterns.ts'
import { explainParts } from '../../core/predicate/explain.ts'
import type { Matches, Truth } from '../../core/predicate/fires.ts'
import { type AskPattern, judge, MAX_UNDECIDED, type Undecided } from '../../core/predicate/judge.ts'
import type { Judged } from '../../core/predicate/judged.ts'
import { createPatternMap } from '../../core/predicate/pattern-map.ts'
import { createPatternResults } from '../../core/predicate/pattern-results.ts'
import { decidedWithout, undecidedFault } from '../../core/predicate/undecided.ts'
import { storable } from '../../core/storable.ts'
import type { PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { type ExtractConfig, fieldNames } from '../../schema/monitor/extract-config.ts'
import { type PredicateTrial, TRIAL_BYTES, TRIAL_CONDITIONS } from '../../schema/monitor/predicate-trial.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { WORK } from '../../schema/work.ts'
import type { Left } from '../outcome.ts'
import { tooManyConditions } from './too-many-conditions.ts'

/** What to try. Its shape and its `monitorIssues` were checked already. */
interface TrialWanted {
  readonly teamId: string
  readonly predicate: DiffPredicate
  /** Null: there was no run before. */
  readonly before: Values | null
  readonly after: Values
  /** Undefined: differences are listed in the order of the values. */
  readonly config?: ExtractConfig | undefined
  /** Ends the work: nobody waits for its result any more. */
  readonly signal?: AbortSignal | undefined
}

type TrialOutcome = { readonly kind: 'done'; readonly trial: PredicateTrial } | Invalid | Left

interface TrialPorts {
  readonly patterns: Pick<PatternMatcher, 'matches'>
  /** Default: that of `WORK`. */
  readonly budgetMs?: number
}

/**
 * Returns whether a predicate fires for two readings, and why. A run decides by the same function. What a run knows of
 * the readings before these two, a trial does not. Stores nothing and sends nothing.
 */
export async function tryPredicate(
  { patterns, budgetMs = WORK.predicate_trial.budgetMs }: TrialPorts,
  { teamId, predicate, config, signal, ...values }: TrialWanted,
): Promise<TrialOutcome> {
  const issues = [...tooManyConditions(predicate, 'a trial', TRIAL_CONDITIONS), ...tooLarge(values)]
  if (issues.length > 0) return { kind: 'invalid', issues }
  const before = values.before && storable(values.before)
  const after = storable(values.after)
  const until = performance.now() + budgetMs
  let ranOut = false
  const ask = rememberAnswers(async (question) => {
    if (performance.now() <= until) return patterns.matches(question, { key: teamId, signal })
    ranOut = true
    return 'stopped'
  })
  const order = config ? fieldNames(config) : []
  const { diff, fired, undecided } = await judge({ before, after, order, predicate }, ask)
  const isTooLong = ranOut
  const judged = { diff, before: before ?? {}, after }
  const matches = diff === null ? NONE : await allMatches(predicate, judged, ask)
  if (signal?.aborted) return { kind: 'left' }
  const parts = explainParts(predicate, judged, matches)
  const unknown = isTooLong ? TOO_LONG : undecidedFault(undecided).message
  const trial: PredicateTrial = {
    fires: known(fired),
    why: before === null ? FIRST : fired === 'unknown' ? unknown : parts[0].why,
    diff: diff ?? {},
    conditions: parts.map(({ holds, why, ...part }) => ({
      ...part,
      holds: known(holds),
      why: before === null ? FIRST : why,
    })),
    warnings:
      fired === 'unknown'
        ? []
        : undecided.map((one) => (isTooLong && one.why === 'stopped' ? notTried(one) : decidedWithout(one))),
  }
  return { kind: 'done', trial }
}

/** A run cuts what it stores before it is as much as this. */
function tooLarge(values: Pick<TrialWanted, 'before' | 'after'>): Issue[] {
  return (['before', 'after'] as const).flatMap((path) => {
    const bytes = Buffer.byteLength(JSON.stringify(values[path]))
    const message = `has ${bytes} bytes of JSON; a trial takes at most ${TRIAL_BYTES}`
    return bytes > TRIAL_BYTES ? [{ path, message }] : []
  })
}

const known = (truth: Truth) => (truth === 'unknown' ? null : truth)

const NONE: Matches = () => 'unknown'

/** Returns what asks for each pattern on a text once: the decision asks first, and the reasons after it. */
function rememberAnswers(askPattern: AskPattern): AskPattern {
  const known = createPatternMap<ReturnType<AskPattern>>()
  return (question) => {
    const answer = known.get(question) ?? askPattern(question)
    known.set(question, answer)
    return answer
  }
}

/** Returns the results of all patterns, also of those on which the outcome does not depend. */
async function allMatches(predicate: DiffPredicate, judged: Judged, ask: AskPattern): Promise<Matches> {
  const tried = createPatternResults()
  let unanswered = 0
  for (const question of collectPatterns(predicate, judged)) {
    const answer = await ask(question)
    if (typeof answer === 'boolean') tried.add(question, answer)
    else if (++unanswered === MAX_UNDECIDED) break
  }
  return tried.matches
}

const notTried = ({ pattern }: Undecided) =>
  `The predicate's pattern ${JSON.stringify(pattern.slice(0, 100))} was not tried, because the time of the trial was ` +
  'over; the outcome did not hang on it.'

const FIRST = 'there is nothing before it: the first run is a baseline, and never fires'

const TOO_LONG =
  `The patterns took more than ${WORK.predicate_trial.budgetMs / 1_000} s together, which is all the time of a ` +
  'trial, so it is unknown whether the predicate fires. Simplify them.'
