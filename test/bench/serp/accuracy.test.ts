import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accuracyOf, byEngine, renamed, robustnessOf } from '../../../bench/serp/accuracy.ts'
import { savedPages, type SavedPage } from '../../../bench/serp/saved-pages.ts'
import { PAGES } from '../../support/browser/search-pages.ts'
import { describeIf } from '../../support/run/skip.ts'

const page = (html: string, more: Partial<SavedPage['expected']> = {}): SavedPage => ({
  name: 'one',
  html,
  isSeen: true,
  expected: {
    engine: 'bing',
    device: 'desktop',
    page_kind: 'results',
    urls_replaced_by_source: false,
    ai_overview_present: null,
    featured_snippet_present: null,
    group: null,
    expected: [
      { title: 'First title', url: 'https://first.example/a?b=c' },
      { title: 'Second title', url: 'https://www.second.example/' },
      { title: 'Third title', url: 'https://third.example/x' },
    ],
    ...more,
  },
})

describe('the measurement of saved pages', () => {
  test('counts what is found, what is right, and what is in its position', () => {
    const shifted = PAGES.bing.replace(
      /<li class="b_algo">/,
      '<li class="b_algo"><h2><a href="https://new.example/">New</a></h2></li>$&',
    )
    expect(accuracyOf([page(PAGES.bing)])).toMatchObject({ expected: 3, found: 3, right: 3, placed: 3 })
    expect(accuracyOf([page(shifted)])).toMatchObject({ expected: 3, found: 4, right: 3, placed: 0 })
  })

  test('counts a page that was taken for another one', () => {
    expect(accuracyOf([page('<p>')]).missed).toEqual({ unparsed: 1 })
    expect(accuracyOf([page(PAGES.bing, { page_kind: 'captcha', expected: [] })]).mistaken).toEqual(['one → ok'])
  })

  test('renames the same class to the same other one, and leaves ids of words alone', () => {
    const html = renamed('<div class="a b" id="rso"><p class=a id="eKIzJc">', 'seed')
    const [, first] = /class="(\S+) /.exec(html) ?? []
    expect(html).toContain(`<p class="${first}"`)
    expect(html).toContain('id="rso"')
    expect(html).not.toContain('eKIzJc')
  })
})

const shared = process.env['TIDEMARK_SHARED']
describeIf(shared !== undefined, 'set TIDEMARK_SHARED to the folder with the recorded pages')('saved pages', () => {
  const pages = shared === undefined ? [] : savedPages(join(shared, 'serp-fixtures'))

  test.each(byEngine(pages))('of %s are read with the right titles, addresses and positions', (_, own) => {
    for (const part of [own.filter(({ isSeen }) => isSeen), own.filter(({ isSeen }) => !isSeen)]) {
      const { expected, found, right, placed, missed, flags } = accuracyOf(part)
      expect(missed).toEqual({})
      expect(flags).toEqual([])
      expect(right / found).toBeGreaterThanOrEqual(0.99)
      expect(placed / expected).toBeGreaterThanOrEqual(0.99)
    }
  })

  test('without results are taken for what they are, but for one that was made for browsers without scripts', () => {
    const others = pages.filter(({ expected }) => expected.page_kind !== 'results')
    expect(accuracyOf(others).mistaken.filter((line) => !line.startsWith('google-2023-nojs-zero'))).toEqual([])
  })

  test('with every name changed at random are read rightly, or as a guess, or not at all', () => {
    for (const [, own] of byEngine(pages)) {
      const { wrongUnmarked, invented, right, expected } = robustnessOf(own, 'test')
      expect(wrongUnmarked).toBe(0)
      expect(invented).toBe(0)
      expect(right / expected).toBeGreaterThan(0.5)
    }
  })
})
