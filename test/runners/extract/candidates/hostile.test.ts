import { describe, expect, test } from 'vitest'
import { candidatesOf } from '../../../../runners/extract/candidates/candidates.ts'
import { extract } from '../../../../runners/extract/extract.ts'
import { parseMarkup } from '../../../../runners/extract/on-tree.ts'
import { checkRules } from '../../../../runners/extract/rules.ts'
import { html, values } from '../pages.ts'
import { elementsOf } from './element-of.ts'

const NAMES: readonly string[] = [
  'a"b',
  "a'b",
  `a"b'c`,
  'a]b[c',
  'a)b(c',
  'a\\b',
  'a\nb',
  'a\tb',
  '</script><script>alert(1)</script>',
  '#.>+~,:*|^$=!@%&/;?{}`',
  '1st',
  '-1',
  '-',
  '--x',
  'ü😀',
  'a b',
  '[]',
  ']]>',
  '\u0001',
  '\u2028',
  'constructor',
  '__proto__',
]
const quoted = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

describe('a hostile name', () => {
  test.each(NAMES)('in every attribute is written so that both engines find the element: %j', (name) => {
    const named = ['id', 'class', 'itemprop', 'data-role', 'aria-label', 'data-testid']
    for (const attribute of named) {
      const body = `<!doctype html><body><p>no</p><p ${attribute}="${quoted(name)}">yes</p>`
      const parsed = parseMarkup(html(body))
      if (!parsed.ok) throw new Error(parsed.fault.message)
      const element = elementsOf(parsed.tree).findLast(({ name: tag }) => tag === 'p')
      if (element === undefined) throw new Error('no paragraph')
      for (const method of ['css', 'xpath'] as const) {
        const offers = candidatesOf(parsed.tree, element, { method }).values
        expect(offers.length).toBeGreaterThan(0)
        for (const { rule } of offers) {
          expect(checkRules({ method, fields: { it: rule } })).toEqual([])
          expect(values(extract(html(body), { method, fields: { it: rule } }))).toEqual({ it: 'yes' })
        }
      }
    }
  })

  test('that is an attribute with a value of the page is offered, and not only its path', () => {
    const body = '<!doctype html><body><p>no</p><p itemprop="a&quot;b]c">yes</p>'
    const parsed = parseMarkup(html(body))
    if (!parsed.ok) throw new Error(parsed.fault.message)
    const [, second] = elementsOf(parsed.tree).filter(({ name }) => name === 'p')
    if (second === undefined) throw new Error('no paragraph')
    expect(candidatesOf(parsed.tree, second).values[0]?.rule).toBe(String.raw`[itemprop="a\"b\]c"]`)
  })
})
