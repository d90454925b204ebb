import { describe, expect, test } from 'vitest'
import { candidatesOf } from '../../../../runners/extract/candidates/candidates.ts'
import { guessesOf } from '../../../../runners/extract/candidates/guesses/guesses.ts'
import { parseMarkup } from '../../../../runners/extract/on-tree.ts'
import { textOf } from '../../../../runners/extract/tree.ts'
import { html } from '../pages.ts'
import { elementsOf } from './element-of.ts'

const many = (count: number, one: (n: number) => string) => Array.from({ length: count }, (_, n) => one(n)).join('')
const LARGE: readonly (readonly [what: string, body: string])[] = [
  ['199,990 elements beside each other', many(199_990, () => '<p>x</p>')],
  ['5,000 elements of one id', many(5_000, (n) => `<p id=same>${n}</p>`)],
  ['a class of a megabyte', `<p class="${'x'.repeat(1_000_000)}">a</p>${many(100, () => '<p class=b>b</p>')}`],
  ['half a million classes', `<p class="${many(250_000, (n) => `c${n} `)}">a</p>`],
  ['an id of a megabyte', `<p id="${'x'.repeat(1_000_000)}">a</p>`],
  ['500 elements inside each other', `${'<div class=a>'.repeat(490)}<b>x</b>`],
  ['tables inside each other', '<table><tr><td>a<td>'.repeat(120)],
  ['20,000 rows of a table', `<table>${many(20_000, (n) => `<tr><td>Price</td><td>${n}</td></tr>`)}</table>`],
  ['a text of two megabytes', `<p>${'price '.repeat(350_000)}</p><p>$5</p>`],
  ['30,000 prices', many(30_000, (n) => `<span class=price>$${n}.99</span>`)],
  ['10,000 data attributes', many(10_000, (n) => `<p data-a${n}=b data-b=${n}>x</p>`)],
]

describe('a large page', () => {
  /** The limit of a thread. Processor time, because a busy machine takes longer by the clock. */
  const MOST_MS = 5_000
  const usedMs = () => process.threadCpuUsage().user / 1_000

  test.each(LARGE)('of %s has candidates for its last element in time', (_what, body) => {
    const parsed = parseMarkup(html(`<!doctype html><body>${body}`))
    if (!parsed.ok) throw new Error(parsed.fault.message)
    const elements = elementsOf(parsed.tree)
    for (const element of [elements.at(-1), elements[Math.floor(elements.length / 2)]]) {
      if (element === undefined) throw new Error('no element')
      const before = usedMs()
      const { values: offers } = candidatesOf(parsed.tree, element)
      expect(usedMs() - before).toBeLessThan(MOST_MS)
      expect(offers.length).toBeGreaterThan(0)
      const shown = textOf(element).trim()
      for (const { rule, value } of offers) {
        expect(rule.length).toBeLessThanOrEqual(1_000)
        if (shown.length < 1_000) expect(value).toBe(shown)
      }
    }
  })

  test.each(LARGE)('of %s has guesses in time', (_what, body) => {
    const before = usedMs()
    const guesses = guessesOf(html(`<!doctype html><body>${body}`))
    expect(usedMs() - before).toBeLessThan(MOST_MS)
    expect(Array.isArray(guesses) && guesses.length > 0).toBe(true)
  })
})
