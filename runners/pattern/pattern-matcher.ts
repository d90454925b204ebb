import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import type { Whose } from '../../concurrency/threads/thread.ts'
import type { PatternQuestion } from '../../core/predicate/pattern-question.ts'
import { PATTERN_LIMITS } from '../../schema/monitor/pattern-limits.ts'
import { createPatternThread } from './pattern-thread.ts'

/**
 * What is known of a pattern on a text. It matches or not, or that is unknown:
 * - `timeout`: it took longer than it may, or all of its memory, now or on the same text before;
 * - `crowded`: it was not tried, because as many patterns of the same team wait as may;
 * - `busy`: it was not tried, because as many patterns of all teams wait as may;
 * - `stopped`: the signal came, or the matcher was closed.
 */
type PatternAnswer = boolean | 'timeout' | 'crowded' | 'busy' | 'stopped'

/** How questions were answered, since the start. `remembered`: with a timeout that was known from before. */
type PatternCounts = Readonly<Record<Counted, number>>
type Counted = 'tried' | 'remembered' | Exclude<PatternAnswer, boolean>

/** Tests patterns of predicates in threads that can be terminated. */
export interface PatternMatcher {
  /** Never rejects because of a pattern. `key` is the team: teams take turns. */
  matches(question: PatternQuestion, whose: Whose): Promise<PatternAnswer>
  readonly counts: PatternCounts
  /** How many patterns are being tried, or wait. */
  readonly waiting: number
  close(): Promise<void>
}

interface MatcherOptions {
  /** The time of a pattern in milliseconds, its trial not included. */
  readonly timeoutMs?: number
  readonly trialMs?: number
  readonly rememberMs?: number
  /** The most slow patterns that are tried or wait. */
  readonly slow?: { readonly perTeam: number; readonly total: number }
}

/**
 * Creates a matcher with the limits of `PATTERN_LIMITS`, for which the options are others. Its threads start when they
 * are first needed.
 *
 * Each pattern has a short trial in the first thread. One that needs longer is tried in the second thread, where only
 * such patterns wait. So a pattern that backtracks for ever costs the quick ones of others a trial at most, and after
 * its first trial nothing: its team and text of the pattern are remembered, and it goes to the second thread at once.
 * A pattern that took too long is not tried again on the same text.
 */
export function createPatternMatcher(options: MatcherOptions = {}): PatternMatcher {
  const { timeoutMs, trialMs, rememberMs, slow } = { ...PATTERN_LIMITS, ...options }
  const trials = createPatternThread({ ...PATTERN_LIMITS.trials, timeoutMs: trialMs })
  const patient = createPatternThread({ ...slow, timeoutMs })
  const memory = { max: PATTERN_LIMITS.mostRemembered, ttl: rememberMs, ttlResolution: 0 }
  /** Hashes of patterns with their teams. */
  const slowPatterns = new LRUCache<string, true>(memory)
  /** Hashes of patterns with their teams and texts. */
  const timedOut = new LRUCache<string, true>(memory)
  const counts = { tried: 0, remembered: 0, timeout: 0, crowded: 0, busy: 0, stopped: 0 }

  async function answerTo(question: PatternQuestion, whose: Whose): Promise<PatternAnswer | 'remembered'> {
    const ofTeam = hashOf([whose.key, question.pattern])
    const isUnknown = () => !slowPatterns.has(ofTeam)
    if (isUnknown()) {
      const answer = await trials.ask(question, whose, isUnknown)
      if (answer === 'timeout') slowPatterns.set(ofTeam, true)
      else if (answer !== 'unneeded') return answer
    }
    const onText = hashOf([ofTeam, question.text, question.byLine ? 'lines' : 'text'])
    let begunAt = 0
    const isOpen = () => {
      begunAt = performance.now()
      return !timedOut.has(onText)
    }
    const answer = isOpen() ? await patient.ask(question, whose, isOpen) : 'unneeded'
    // On a machine that is busy for a moment, the trial of any pattern can take too long.
    if (typeof answer === 'boolean' && performance.now() - begunAt < trialMs) slowPatterns.delete(ofTeam)
    if (answer === 'timeout') timedOut.set(onText, true)
    return answer === 'unneeded' ? 'remembered' : answer
  }

  return {
    async matches(question, whose) {
      const answer = await answerTo(question, whose)
      counts[typeof answer === 'boolean' ? 'tried' : answer] += 1
      return answer === 'remembered' ? 'timeout' : answer
    },
    counts,
    get waiting() {
      return trials.waiting + patient.waiting
    },
    close: async () => void (await Promise.all([trials.close(), patient.close()])),
  }
}

const hashOf = (parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64')
