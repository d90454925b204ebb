import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideAnalysis, decideRank } from '../../../core/serp/decide-search.ts'
import {
  baselineOf,
  type ComparedReading,
  type KeptReading,
  nextBaseline,
  nextKept,
  type StoredReading,
  reportedReading,
} from '../../../core/serp/kept-reading.ts'
import { targetRank } from '../../../core/serp/target-rank.ts'
import { reading, RULE } from './readings.ts'

describe('the baseline', () => {
  test('is the last full check: of shorter ones only what they sent is remembered beside it, and no guess is', () => {
    const full = reading(['a.example', 'd.example'], { pageEnds: [1, 2] })
    const short = reading(['b.example'], { isPartial: true })
    const guess = reading(['c.example'], { isGuess: true })
    expect(nextBaseline(full, short, true)).toEqual({ ...full, alerted: short })
    expect(nextBaseline(full, short, false)).toBe(full)
    expect(nextBaseline({ ...full, alerted: short }, short, false)).toEqual({ ...full, alerted: short })
    expect(nextBaseline(full, guess, false)).toBe(full)
    expect(nextBaseline(null, short, false)).toBe(short)
    expect(nextBaseline(null, guess, false)).toBe(null)
    expect(nextBaseline({ ...full, alerted: short }, full, false)).toBe(full)
  })

  test('that an earlier version stored is read and replaced alike', () => {
    const full = reading(['a.example', 'd.example'], { pageEnds: [1, 2] })
    const short = reading(['b.example'], { isPartial: true })
    const stored = { ...full, told: short }
    expect(reportedReading(stored).results).toEqual(reportedReading({ ...full, alerted: short }).results)
    expect(nextBaseline(stored, reading(['x.example'], { isPartial: true }), true)).not.toHaveProperty('told')
  })

  test('is replaced by a cut check that covers as many pages', () => {
    const cut = (name: string, more: Partial<StoredReading> = {}) => reading([name], { isPartial: true, ...more })
    const later = cut('b.example')
    expect(nextBaseline(cut('a.example'), later, true)).toBe(later)
    const ended = reading(['a.example'], { isEnd: true })
    expect(nextBaseline(ended, later, true)).toEqual({ ...ended, alerted: later })
  })

  test('has the pages that shorter checks sent instead of its own', () => {
    const full = reading(['a.example', 'b.example', 'c.example', 'd.example'], { pageEnds: [1, 3, 4] })
    const two = reading(['x.example', 'b.example'], { pageEnds: [1, 2], isPartial: true })
    const one = reading(['y.example', 'z.example'], { isPartial: true })
    const alerted = nextBaseline(nextBaseline(full, two, true), one, true)
    expect(alerted && reportedReading(alerted)).toEqual({
      ...reading(['y.example', 'z.example', 'b.example', 'd.example'], { pageEnds: [2, 3, 4] }),
      alerted: { ...reading(['y.example', 'z.example', 'b.example']), pageEnds: [2, 3], isPartial: true },
    })
  })
})

describe('after a shorter check that fired', () => {
  const two = (first: readonly string[], second: readonly string[]) =>
    reading([...first, ...second], { pageEnds: [first.length, first.length + second.length] })
  const full = two(['mine.example', 'a.example', 'b.example'], ['c.example', 'd.example'])
  const shorter = reading(['a.example', 'b.example', 'mine.example'], { isPartial: true })
  const known = { ...full, alerted: shorter }

  test('the same change fires no second time, in a shorter check or in a full one', () => {
    expect(decideRank(RULE, full, shorter).serp).toMatchObject({ rank: 3, previous_rank: 1 })
    expect(decideAnalysis('x', full, shorter)).not.toBeNull()
    const whole = two(['a.example', 'b.example', 'mine.example'], ['c.example', 'd.example'])
    for (const current of [shorter, whole]) {
      expect(decideRank(RULE, known, current)).toMatchObject({ rank: 3, rankDelta: 0, serp: null })
      expect(decideAnalysis('x', known, current)).toBeNull()
    }
  })

  test('another change does, and so does the way back', () => {
    const moved = reading(['a.example', 'b.example', 'c.example', 'e.example', 'mine.example'], { isPartial: true })
    expect(decideRank(RULE, known, moved).serp).toMatchObject({ rank: 5, previous_rank: 3, rank_delta: -2 })
    expect(decideAnalysis('x', known, moved)).not.toBeNull()
    const behind = two(['a.example', 'b.example', 'mine.example'], ['d.example', 'c.example'])
    expect(decideAnalysis('x', known, behind)?.results).toHaveLength(5)
    const gone = two(['a.example', 'b.example', 'x.example'], ['c.example', 'd.example'])
    expect(decideRank(RULE, known, gone).serp).toMatchObject({ rank: null, previous_rank: 3 })
    expect(decideRank(RULE, known, full).serp).toMatchObject({ rank: 1, previous_rank: 3, rank_delta: 2 })
    expect(decideAnalysis('x', known, full)).not.toBeNull()
  })
})

describe('a sequence of checks', () => {
  /** Two pages of five, of which a cut check has the first. */
  const at = (position: number | null, isCut = false): StoredReading => {
    const names = Array.from({ length: isCut ? 5 : 10 }, (_, index) =>
      index + 1 === position ? 'mine.example' : `site-${index}.example`,
    )
    return reading(names, { pageEnds: isCut ? [5] : [5, 10], isPartial: isCut })
  }
  const cut = (position: number | null) => at(position, true)

  /** Returns what each check sends: the rank, or none. */
  function sentBy(...checks: readonly StoredReading[]): (string | null)[] {
    let baseline: ComparedReading | null = null
    return checks.map((current) => {
      const { serp } = decideRank(RULE, baseline, current)
      baseline = nextBaseline(baseline, current, serp !== null)
      return serp && `${serp.previous_rank} to ${serp.rank}`
    })
  }

  test.each([
    ['shorter ones about one rank fire once', [at(1), cut(3), cut(4), cut(3), cut(4), cut(3)], [1]],
    ['a full one after them fires for what moved since', [at(1), cut(3), cut(4), at(4), at(7)], [1, 4]],
    ['a full one fires when it is far behind the shorter one', [at(1), cut(3), at(9)], [1, 2]],
    ['what one has sent is not sent again after one that sent nothing', [at(1), cut(3), cut(null), cut(3)], [1]],
    ['a full one after them says that the rank is back', [at(1), cut(3), at(1)], [1, 2]],
    ['a target that entered by one and is gone is not missed', [at(null), cut(2), at(null)], [1, 2]],
    ['a first one that was cut is replaced by the next', [cut(1), cut(3), cut(4), cut(3)], [1]],
    ['a target that is on no page of a shorter one has not left', [at(5), cut(null), at(6)], []],
    ['a target that is on no page of a full one has left', [at(5), cut(null), at(null)], [2]],
    ['a target on the second page is not missed by a shorter one', [at(7), cut(null), at(7)], []],
  ] as const)('%s', (_, checks, firing) => {
    const sent = sentBy(...checks)
    expect(sent.flatMap((one, index) => (one === null ? [] : [index]))).toEqual(firing)
  })
})

describe('any sequence of checks', () => {
  const PAGE = 3
  const CHECKS = fc.array(
    fc.record({
      names: fc.shuffledSubarray(['mine.example', ...'abcdef'.split('')], { minLength: 6 }),
      isCut: fc.boolean(),
    }),
    { minLength: 2, maxLength: 8 },
  )
  const readingOf = ({ names, isCut }: { readonly names: readonly string[]; readonly isCut: boolean }) =>
    isCut ? reading(names.slice(0, PAGE), { isPartial: true }) : reading(names.slice(0, 6), { pageEnds: [PAGE, 6] })

  test('leaves its alerts saying what the last full check found, and none says what is known', () => {
    fc.assert(
      fc.property(CHECKS, (checks) => {
        const rule = { ...RULE, rank_change_threshold: 1 }
        let baseline: ComparedReading | null = null
        let rank: number | null = null
        for (const check of [{ names: checks[0]?.names ?? [], isCut: false }, ...checks]) {
          const current = readingOf(check)
          const { serp } = decideRank(rule, baseline, current)
          if (serp) expect(serp.previous_rank).toBe(rank)
          if (baseline === null) rank = targetRank('mine.example', current.results) as number | null
          else if (serp) rank = serp.rank
          if (!check.isCut) expect(targetRank('mine.example', current.results)).toBe(rank)
          baseline = nextBaseline(baseline, current, serp !== null)
        }
      }),
    )
  })

  test('leaves the lists that it sent equal to that of the last full check', () => {
    fc.assert(
      fc.property(CHECKS, (checks) => {
        let baseline: ComparedReading | null = null
        let list: readonly string[] = []
        for (const check of [{ names: checks[0]?.names ?? [], isCut: false }, ...checks]) {
          const current = readingOf(check)
          const names = current.results.map(({ domain }) => `https://${domain}/`)
          const sent = decideAnalysis('x', baseline, current)
          if (sent) expect(sent.previous_results.map(({ domain }) => domain)).toEqual(list.slice(0, names.length))
          if (baseline === null) list = names
          else if (sent) list = [...sent.results.map(({ domain }) => domain), ...list.slice(sent.results.length)]
          if (!check.isCut) expect(list).toEqual(names)
          baseline = nextBaseline(baseline, current, sent !== null)
        }
      }),
    )
  })
})

describe('an engine and a paid provider', () => {
  /** Returns the indexes of the checks that fire, in both modes. */
  function firing(...checks: readonly (readonly ['engine' | 'provider', StoredReading])[]) {
    const run = (decide: (baseline: ComparedReading | null, current: StoredReading) => number | null | undefined) => {
      let kept: KeptReading | null = null
      return checks.flatMap(([source, current], index) => {
        const baseline = baselineOf(kept, source)
        const firedRank = decide(baseline, current)
        const next = nextBaseline(baseline, current, firedRank !== undefined)
        if (next !== null && next !== baseline) kept = nextKept(kept, { source, current, next, firedRank })
        return firedRank === undefined ? [] : [index]
      })
    }
    return {
      rank: run((baseline, current) => decideRank(RULE, baseline, current).serp?.rank),
      analysis: run((baseline, current) => (decideAnalysis('x', baseline, current) ? 0 : undefined)),
    }
  }
  const at = (position: number) =>
    reading(
      Array.from({ length: 12 }, (_, index) => (index + 1 === position ? 'mine.example' : `site-${index}.example`)),
    )

  test('that differ are compared each with itself, so that a change of the source fires nothing', () => {
    const [engine, provider] = [['engine', at(3)] as const, ['provider', at(9)] as const]
    const turns = firing(engine, provider, engine, provider, provider, engine, engine, provider)
    expect(turns).toEqual({ rank: [], analysis: [] })
  })

  test('fire for a change on either side; what one has sent of a rank the other does not send again', () => {
    const turns = firing(
      ...([
        ['engine', at(3)],
        ['provider', at(4)],
        ['provider', at(8)],
        ['engine', at(7)],
        ['provider', at(8)],
      ] as const),
    )
    expect(turns).toEqual({ rank: [2], analysis: [2, 3] })
    const on = firing(
      ...([
        ['engine', at(3)],
        ['provider', at(4)],
        ['provider', at(8)],
        ['engine', at(11)],
      ] as const),
    )
    expect(on.rank).toEqual([2, 3])
  })

  test('are found again after any turns: a reading that one has not changed fires nothing', () => {
    const TURNS = fc.array(fc.constantFrom('engine', 'provider'), { maxLength: 12 })
    fc.assert(
      fc.property(TURNS, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), (turns, one, other) => {
        const checks = turns.map((source) => [source, at(source === 'engine' ? one : other)] as const)
        expect(firing(...checks)).toEqual({ rank: [], analysis: [] })
      }),
    )
  })

  test('keep the list of their last check first, and a shorter one that fired beside its own', () => {
    const full = reading(['a.example', 'b.example'], { pageEnds: [1, 2] })
    const of = (
      kept: KeptReading | null,
      source: 'engine' | 'provider',
      current: StoredReading,
      next: ComparedReading,
    ) => nextKept(kept, { source, current, next, firedRank: undefined })
    const first = of(null, 'engine', full, full)
    expect(first).toEqual({ ...full, source: 'engine' })
    const seen = at(1)
    const both = of(first, 'provider', seen, seen)
    expect(both).toEqual({ ...at(1), source: 'provider', other: full })
    const cut = reading(['c.example'], { isPartial: true })
    const told = { ...full, alerted: cut }
    expect(of(both, 'engine', cut, told)).toEqual({ ...at(1), source: 'provider', other: told })
    // A version before this one kept no source.
    expect(baselineOf(full, 'engine')).toEqual(full)
    expect(baselineOf(full, 'provider')).toBeNull()
  })
})
