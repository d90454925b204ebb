import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideAnalysis, decideRank } from '../../../core/serp/decide-search.ts'
import { covered, type StoredReading } from '../../../core/serp/kept-reading.ts'
import { isTarget, targetRank } from '../../../core/serp/target-rank.ts'
import type { SerpResult } from '../../../schema/serp/serp-result.ts'
import { listOf, reading, result, RULE } from './readings.ts'

describe('the rank of a target', () => {
  const list = [
    result(1, 'other.example', { url: 'https://other.example/?u=mine.example' }),
    result(2, 'notmine.example'),
    result(3, 'shop.mine.example', { url: 'https://shop.mine.example/a/b?c=d' }),
    result(4, 'www.mine.example', { url: 'https://www.mine.example/blog/post?x=1' }),
    result(5, 'xn--mnchen-3ya.example', { url: 'https://xn--mnchen-3ya.example/' }),
  ]

  test.each([
    ['mine.example', 3, 'its host and the hosts below it'],
    ['www.mine.example', 3, 'with www. as without'],
    ['https://Mine.Example/', 3, 'with scheme and another case'],
    ['shop.mine.example', 3, 'a host below'],
    ['example.com', null, 'no other host'],
    ['e.example', null, 'no part of a name'],
    ['mine.example/blog', 4, 'a path, on the host itself'],
    ['mine.example/blog/po', 4, 'a path as a prefix'],
    ['mine.example/blog/post?x=1', 4, 'a query as part of the prefix'],
    ['mine.example/a', null, 'a path, not on a host below'],
    ['mine.example/Blog', null, 'a path as written'],
    ['münchen.example', 5, 'a name of other letters'],
    ['///', null, 'nothing'],
    ['mine', 3, 'a word as a whole label of the host'],
    ['Mine', 3, 'a word in another case'],
    ['min', null, 'no part of a label'],
    ['www', 4, 'the first label, too'],
    ['example', null, 'no public suffix'],
    ['münchen', 5, 'a word of other letters'],
    ['mine/blog', 4, 'a word and the beginning of the path'],
    ['/blog', 4, 'a part of the path'],
    ['/post', 4, 'a segment of the path'],
    ['/po', 4, 'the beginning of a segment'],
    ['ost', null, 'no part of a segment'],
    ['/a/b?c=d', 3, 'a path with its query'],
    ['?c=d', 3, 'a query'],
    ['?u=mine.example', 1, 'a query on any host'],
  ] as const)('%s is %s: it matches %s', (...[target, rank]) => {
    expect(targetRank(target, list)).toBe(rank)
  })

  test('is not known behind a result whose site is hidden', () => {
    const hidden = [result(1, 'a.example'), result(2, '', { url: '' }), result(3, 'mine.example')]
    expect(targetRank('mine.example', hidden)).toBe('unknown')
    expect(targetRank('a.example', hidden)).toBe(1)
  })

  test('is a word beside every public suffix, and not within one', () => {
    const shops = ['shop.co.uk', 'www.amazon.co.uk', 'amazon.de', 'smile.amazon.com.au', 'amazon.example.net']
    for (const domain of shops.slice(1)) expect(targetRank('amazon', listOf(domain))).toBe(1)
    expect(targetRank('co', listOf(...shops))).toBe(null)
    expect(targetRank('com', listOf(...shops))).toBe(null)
    expect(targetRank('360', listOf('www.360.cn'))).toBe(1)
  })

  test('is a parameter of a query wherever it stands, from its beginning', () => {
    const at = (url: string) => targetRank('?q=kettle', [result(1, 'a.example', { url })])
    expect(at('https://a.example/?q=kettles')).toBe(1)
    expect(at('https://a.example/find?page=2&q=kettle')).toBe(1)
    expect(at('https://a.example/find?faq=kettle')).toBe(null)
    expect(at('https://a.example/a&q=kettle')).toBe(null)
  })

  test('is not known for a word and for a part of an address behind a hidden site either', () => {
    const hidden = [result(1, '', { url: '' }), result(2, 'amazon.example')]
    expect(targetRank('amazon', hidden)).toBe('unknown')
    expect(targetRank('/page', hidden)).toBe('unknown')
  })

  test('with a host of two labels or more has the rank that it had before words and parts had a meaning', () => {
    const label = fc.stringMatching(/^[a-c]{1,2}$/)
    const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'))
    const path = fc
      .array(fc.stringMatching(/^[ab]{0,2}$/), { maxLength: 3 })
      .map((parts) => parts.map((one) => `/${one}`).join(''))
    const query = fc.constantFrom('', '?a=b', '?b', '?')
    const site = fc.tuple(fc.constantFrom('', 'www.'), host).map((parts) => parts.join(''))
    const listed = fc.array(fc.tuple(site, path, query), { minLength: 1, maxLength: 8 })
    const target = fc.tuple(fc.constantFrom('', 'https://', 'HTTP://', ' '), site, path, query)
    fc.assert(
      fc.property(target, listed, (parts, sites) => {
        const results = sites.map(([domain, ...rest], at) => {
          return result(at + 1, domain, { url: `https://${domain}${rest.join('')}` })
        })
        expect(targetRank(parts.join(''), results)).toBe(rankBefore(parts.join(''), results))
      }),
      { numRuns: 2_000 },
    )
  })

  test('can be refused before a monitor has it', () => {
    expect(isTarget('example.com/a')).toBe(true)
    expect(['https://', '/', '?', '/?', '/#a', '/a b', 'a b', 'me:secret@mine.example'].filter(isTarget)).toEqual([])
    // No host has these.
    const hosts = ['*.mine.example', 'mine.*', '*', '.mine.example', 'mine..example/a', 'https://.mine.example']
    expect(hosts.filter(isTarget)).toEqual([])
    expect(isTarget('mine.example./a')).toBe(true)
  })
})

/** The rule for a target with a host, as it was when it was the only one. */
function rankBefore(text: string, results: readonly SerpResult[]): number | null {
  const siteOf = (host: string) => host.replace(/^www\./, '')
  const trimmed = text.trim()
  const url = new URL(/^https?:/i.test(trimmed) ? trimmed : `https://${trimmed}`)
  const behind = url.pathname === '/' && url.search === '' ? '' : url.pathname + url.search
  const host = siteOf(url.hostname)
  const found = results.find((one) => {
    const site = siteOf(one.domain)
    const address = new URL(one.url)
    if (behind === '') return site === host || site.endsWith(`.${host}`)
    return site === host && (address.pathname + address.search).startsWith(behind)
  })
  return found?.position ?? null
}

describe('rank_tracking', () => {
  test('gives previous minus current, so that a rise is positive', () => {
    const before = reading(['a.example', 'b.example', 'c.example', 'mine.example'])
    const after = reading(['mine.example', 'a.example', 'b.example', 'c.example'])
    expect(decideRank(RULE, before, after)).toEqual({
      rank: 1,
      rankDelta: 3,
      serp: { keyword: 'shoes', target_domain: 'mine.example', rank: 1, previous_rank: 4, rank_delta: 3 },
    })
    expect(decideRank(RULE, after, before)).toMatchObject({ rank: 4, rankDelta: -3 })
  })

  test('fires at the threshold and not below it', () => {
    const at = (position: number) =>
      reading('abcdefg'.split('').map((name, index) => (index === position - 1 ? 'mine.example' : `${name}.example`)))
    expect(decideRank(RULE, at(4), at(3)).serp).toBe(null)
    expect(decideRank(RULE, at(4), at(2)).serp).not.toBe(null)
    expect(decideRank(RULE, at(4), at(6)).serp).not.toBe(null)
    expect(decideRank({ ...RULE, rank_change_threshold: 1 }, at(4), at(4)).serp).toBe(null)
  })

  test('without a threshold fires only for entering and leaving', () => {
    const rule = { ...RULE, rank_change_threshold: null }
    const without = reading(['a.example', 'b.example'])
    const first = reading(['mine.example', 'b.example'])
    const second = reading(['b.example', 'mine.example'])
    expect(decideRank(rule, first, second).serp).toBe(null)
    expect(decideRank(rule, without, second).serp).toMatchObject({ rank: 2, previous_rank: null, rank_delta: null })
    expect(decideRank(rule, second, without).serp).toMatchObject({ rank: null, previous_rank: 2, rank_delta: null })
    expect(decideRank(rule, second, reading([], { pageEnds: [0], isEnd: true })).serp).toMatchObject({ rank: null })
  })

  test('does not fire for a word whose meaning changed after its baseline was stored', () => {
    const rule = { ...RULE, target_domain: 'mine' }
    const stored = reading(['a.example', 'b.example', 'www.mine.example'])
    expect(decideRank(rule, stored, stored)).toEqual({ rank: 3, rankDelta: 0, serp: null })
    // What was sent for it by the other source had no rank.
    expect(decideRank(rule, { ...stored, rankElsewhere: null }, stored).serp).toBe(null)
  })

  test('does not fire for the first check, for a guess, or for what the engine hides', () => {
    const there = reading(['mine.example'])
    const gone = reading(['a.example'])
    expect(decideRank(RULE, null, there)).toEqual({ rank: 1, rankDelta: null, serp: null })
    expect(decideRank(RULE, there, { ...gone, isGuess: true }).serp).toBe(null)
    const hidden = { ...gone, results: [result(1, '', { url: '' })] }
    expect(decideRank(RULE, there, hidden)).toMatchObject({ rank: null, serp: null })
  })

  test('does not fire for a shorter check, nor for another number of pages', () => {
    const full = reading(['a.example', 'b.example', 'mine.example', 'd.example'], { pageEnds: [2, 4] })
    const short = reading(['a.example', 'b.example'], { isPartial: true })
    expect(decideRank(RULE, full, short)).toMatchObject({ rank: null, rankDelta: null, serp: null })
    expect(decideRank(RULE, short, full)).toMatchObject({ rank: 3, serp: null })
    const moved = reading(['mine.example', 'a.example'], { isPartial: true })
    expect(decideRank({ ...RULE, target_domain: 'b.example' }, full, moved).serp).toBe(null)
    expect(decideRank(RULE, reading(['a.example', 'mine.example', 'b.example']), full).serp).toBe(null)
  })

  test('does not fire for a target that one check knows only outside of the compared pages, or may have there', () => {
    const two = reading(['a.example', 'b.example', 'mine.example', 'd.example'], { pageEnds: [2, 4] })
    const one = reading(['mine.example', 'a.example'])
    expect(decideRank(RULE, two, { ...one, isPartial: true })).toMatchObject({ rank: 1, rankDelta: 2, serp: null })
    expect(decideRank(RULE, one, two)).toMatchObject({ rank: 3, rankDelta: -2, serp: null })
    const first = reading(['mine.example', 'a.example', 'c.example', 'd.example'], { pageEnds: [2, 4] })
    const cut = reading(['a.example', 'b.example'], { isPartial: true })
    expect(decideRank(RULE, first, cut).serp).toBe(null)
    expect(decideRank(RULE, cut, first).serp).toBe(null)
    // Two checks that are cut at the same page know the same.
    expect(decideRank(RULE, { ...one, isPartial: true }, cut).serp).toMatchObject({ rank: null, previous_rank: 1 })
  })
})

describe('full_analysis', () => {
  const before = reading(['a.example', 'b.example'])
  const changedBy = (more: Partial<SerpResult>) => ({
    ...before,
    results: [result(1, 'a.example', more), result(2, 'b.example')],
  })

  test.each([
    ['title', { title: 'Another' }],
    ['description', { description: null }],
    ['domain', { domain: 'c.example', url: 'https://c.example/' }],
  ])('fires for another %s of any result', (_, more) => {
    expect(decideAnalysis('shoes', before, changedBy(more))).not.toBe(null)
  })

  test('fires for another rank, and gives both lists', () => {
    expect(decideAnalysis('shoes', before, reading(['b.example', 'a.example']))).toEqual({
      keyword: 'shoes',
      results: [
        { rank: 1, title: 'Title of b.example', description: 'A snippet.', domain: 'https://b.example/' },
        { rank: 2, title: 'Title of a.example', description: 'A snippet.', domain: 'https://a.example/' },
      ],
      previous_results: [
        { rank: 1, title: 'Title of a.example', description: 'A snippet.', domain: 'https://a.example/' },
        { rank: 2, title: 'Title of b.example', description: 'A snippet.', domain: 'https://b.example/' },
      ],
    })
  })

  test('does not fire for another page of the same site, or for a missing description written otherwise', () => {
    expect(decideAnalysis('shoes', before, changedBy({ url: 'https://a.example/other' }))).toBe(null)
    expect(decideAnalysis('shoes', before, changedBy({ url: 'http://a.example/page' }))).toBe(null)
    expect(decideAnalysis('x', changedBy({ description: null }), changedBy({ description: '' }))).toBe(null)
    expect(decideAnalysis('x', before, changedBy({ description: null }))?.results[0]?.description).toBe('')
  })

  test('does not fire for the first check, for a guess, for a shorter check or for another number of pages', () => {
    const other = reading(['x.example', 'y.example'])
    expect(decideAnalysis('x', null, other)).toBe(null)
    expect(decideAnalysis('x', before, { ...other, isGuess: true })).toBe(null)
    const full = reading(['a.example', 'b.example', 'c.example'], { pageEnds: [2, 3] })
    expect(decideAnalysis('x', full, { ...before, isPartial: true })).toBe(null)
    expect(decideAnalysis('x', before, full)).toBe(null)
  })

  test('compares whole lists when one of them reached the end', () => {
    const full = reading(['a.example', 'b.example', 'c.example'], { pageEnds: [2, 3] })
    const ended = reading(['a.example', 'b.example'], { isEnd: true })
    expect(decideAnalysis('x', full, ended)?.previous_results).toHaveLength(3)
  })
})

const NAMES = fc.array(fc.constantFrom('a.example', 'b.example', 'mine.example', 'c.example', ''), { maxLength: 8 })
const READINGS = fc
  .record({ names: NAMES, first: fc.nat(8), isEnd: fc.boolean(), isPartial: fc.boolean(), isGuess: fc.boolean() })
  .map(({ names, first, ...flags }): StoredReading => {
    const ends = first < names.length ? [first, names.length] : [names.length]
    return { results: listOf(...names), pageEnds: ends, ...flags }
  })

describe('any two checks', () => {
  test('never fire when they are identical', () => {
    fc.assert(
      fc.property(READINGS, (one) => {
        expect(decideRank(RULE, one, one)).toMatchObject({ serp: null })
        expect(decideAnalysis('x', one, one)).toBe(null)
      }),
    )
  })

  test('never fire when one is the other cut at a page', () => {
    fc.assert(
      fc.property(READINGS, (one) => {
        const end = one.pageEnds[0] ?? 0
        const short = { ...one, results: one.results.slice(0, end), pageEnds: [end], isEnd: false, isPartial: true }
        for (const [before, after] of [
          [one, short],
          [short, one],
        ] as const) {
          expect(decideRank(RULE, before, after).serp).toBe(null)
          expect(decideAnalysis('x', before, after)).toBe(null)
        }
      }),
    )
  })

  test('are compared by the same number of pages, and fire only for a difference in them', () => {
    fc.assert(
      fc.property(READINGS, READINGS, (before, after) => {
        const both = covered(before, after)
        const { serp } = decideRank(RULE, before, after)
        if (serp) expect(serp.rank).not.toBe(serp.previous_rank)
        if (decideAnalysis('x', before, after)) expect(both.before).not.toEqual(both.after)
      }),
    )
  })
})
