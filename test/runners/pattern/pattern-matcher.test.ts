import { afterAll, describe, expect, test } from 'vitest'
import { createPatternMatcher, type PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { until } from '../../support/run/until.ts'

/** Matchers of one test; they are closed behind all. */
const opened: PatternMatcher[] = []
afterAll(() => Promise.all(opened.map((matcher) => matcher.close())))
function matcherOf(options?: Parameters<typeof createPatternMatcher>[0]): PatternMatcher {
  const matcher = createPatternMatcher(options)
  opened.push(matcher)
  return matcher
}

/** Long enough that nothing ends by it within a test. */
const NEVER_MS = 600_000
/** Long enough for a quick pattern on a busy machine. */
const TRIAL_MS = 2_000
const EVIL = '^(a+)+$'
const LONG = `${'a'.repeat(40)}!`
const MINE = { key: 'a team' }
const THEIRS = { key: 'a neighbour' }
const evil = (mark = '') => ({ pattern: EVIL, text: LONG + mark })
const quick = { pattern: 'b', text: 'abc' }

describe('a pattern', () => {
  const patterns = matcherOf({ timeoutMs: 300 })
  const matches = (pattern: string, text: string) => patterns.matches({ pattern, text }, MINE)

  test('matches anywhere in the text, as JavaScript has it', async () => {
    expect(await matches('\\d+ left', 'only 3 left!')).toBe(true)
    expect(await matches('^3', 'only 3 left!')).toBe(false)
    expect(await matches('(?i:SOLD)', 'sold out')).toBe(true)
  })

  test('that backtracks for ever is given up, and those after it are answered', async () => {
    const answers = await Promise.all([
      matches(EVIL, LONG),
      matches('b', 'abc'),
      matches(EVIL, `${LONG}!`),
      matches('x', 'abc'),
    ])
    expect(answers).toEqual(['timeout', true, 'timeout', false])
  })

  test('that does not compile does not match', async () => {
    expect(await matches('(', 'anything')).toBe(false)
  })

  test('that needs longer than a trial has its whole time', async () => {
    const patient = matcherOf({ trialMs: 1, timeoutMs: NEVER_MS })
    // Millions of steps, which is more than a millisecond on any machine.
    const slow = { pattern: EVIL, text: `${'a'.repeat(23)}!` }
    expect(await patient.matches(slow, MINE)).toBe(false)
    expect(patient.counts).toMatchObject({ tried: 1, timeout: 0 })
  })

  test('has the time that it runs, and the start of its thread is not counted', async () => {
    const strict = matcherOf({ trialMs: 25, timeoutMs: 25 })
    expect(await strict.matches(quick, MINE)).toBe(true)
  })

  test('that timed out is not tried on the same text again, until it is forgotten', async () => {
    const remembers = matcherOf({ timeoutMs: 50, trialMs: 10 })
    expect(await remembers.matches(evil(), MINE)).toBe('timeout')
    expect(await remembers.matches(evil(), MINE)).toBe('timeout')
    expect(remembers.counts).toMatchObject({ timeout: 1, remembered: 1 })
    expect(await remembers.matches(evil('another text'), MINE)).toBe('timeout')
    expect(await remembers.matches({ pattern: EVIL, text: 'aaa' }, MINE)).toBe(true)
    expect(await remembers.matches(evil(), THEIRS)).toBe('timeout')
    expect(remembers.counts).toMatchObject({ timeout: 3, remembered: 1, tried: 1 })

    const forgets = matcherOf({ timeoutMs: 50, trialMs: 10, rememberMs: 1 })
    expect(await forgets.matches(evil(), MINE)).toBe('timeout')
    expect(await forgets.matches(evil(), MINE)).toBe('timeout')
    expect(forgets.counts).toMatchObject({ timeout: 2, remembered: 0 })
  })
})

describe('teams that share a process', () => {
  test('a pattern that never ends keeps no quick one waiting, and neither do twenty', async () => {
    const patterns = matcherOf({ timeoutMs: NEVER_MS, trialMs: TRIAL_MS, slow: { perTeam: 20, total: 20 } })
    const slow = Array.from({ length: 20 }, (_, n) => patterns.matches(evil(`${n}`), MINE))
    expect(await patterns.matches(quick, THEIRS)).toBe(true)
    // Its own quick ones neither.
    expect(await patterns.matches(quick, MINE)).toBe(true)
    expect(patterns.waiting).toBe(20)
    await patterns.close()
    expect(await Promise.all(slow)).toEqual(slow.map(() => 'stopped'))
  })

  test('a pattern that is known to be slow is not tried among the quick ones again', async () => {
    const patterns = matcherOf({ timeoutMs: NEVER_MS, trialMs: TRIAL_MS })
    const first = patterns.matches(evil(), MINE)
    // Those behind it learn of it while they wait for their trial.
    const others = Array.from({ length: 3 }, (_, n) => patterns.matches(evil(`${n}`), MINE))
    expect(await patterns.matches(quick, THEIRS)).toBe(true)
    await expect.poll(() => patterns.waiting).toBe(4)
    await patterns.close()
    expect(await Promise.all([first, ...others])).toEqual(['stopped', 'stopped', 'stopped', 'stopped'])
  })

  test('slow patterns take turns by team: a neighbour is next, whatever waits', async () => {
    const patterns = matcherOf({ timeoutMs: 60, trialMs: 1 })
    const ended: string[] = []
    const ask = (key: string, mark: string) =>
      patterns.matches(evil(key + mark), { key }).then((answer) => ended.push(`${key} ${String(answer)}`))
    const mine = Array.from({ length: 8 }, (_, n) => ask('mine', `${n}`))
    await Promise.all([...mine, ask('theirs', ''), ask('others', '')])
    // One may have begun before their trial ended, and one of each team is between.
    expect(ended.indexOf('theirs timeout')).toBeLessThan(5)
    expect(ended.indexOf('others timeout')).toBeLessThan(5)
    expect(ended).toHaveLength(10)
  })

  test('of one team sixteen slow patterns wait, and further ones are not tried', async () => {
    const patterns = matcherOf({ timeoutMs: NEVER_MS, trialMs: TRIAL_MS })
    const slow = Array.from({ length: 20 }, (_, n) => patterns.matches(evil(`${n}`), MINE))
    await until(
      () => patterns.counts.crowded,
      (crowded) => crowded === 4,
    )
    expect(await patterns.matches(quick, MINE)).toBe(true)
    await patterns.close()
    const answers = await Promise.all(slow)
    expect(answers.filter((answer) => answer === 'stopped')).toHaveLength(16)
    expect(answers.filter((answer) => answer === 'crowded')).toHaveLength(4)
  })

  test('what all teams together may have waiting is bounded, and that is no fault of the pattern', async () => {
    const patterns = matcherOf({ timeoutMs: NEVER_MS, trialMs: TRIAL_MS, slow: { perTeam: 2, total: 3 } })
    const slow = ['a', 'b', 'c', 'd'].map((key) => patterns.matches(evil(), { key }))
    await until(
      () => patterns.counts.busy,
      (busy) => busy === 1,
    )
    await patterns.close()
    const answers = await Promise.all(slow)
    expect(answers.filter((answer) => answer === 'busy')).toHaveLength(1)
    expect(answers.filter((answer) => answer === 'stopped')).toHaveLength(3)
  })

  test('whoever leaves frees the turn, and the thread if it has begun', async () => {
    const patterns = matcherOf({ timeoutMs: NEVER_MS, trialMs: TRIAL_MS })
    const gone = new AbortController()
    const leaving = [0, 1, 2].map((n) => patterns.matches(evil(`${n}`), { ...MINE, signal: gone.signal }))
    await until(
      () => patterns.waiting,
      (waiting) => waiting === 3,
    )
    gone.abort()
    expect(await Promise.all(leaving)).toEqual(['stopped', 'stopped', 'stopped'])
    expect(patterns.waiting).toBe(0)
    expect(await patterns.matches(quick, THEIRS)).toBe(true)
    expect(await patterns.matches(quick, { ...MINE, signal: AbortSignal.abort() })).toBe('stopped')
  })
})
