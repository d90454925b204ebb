import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { candidatesOf } from '../../../../runners/extract/candidates/candidates.ts'
import { guessesOf } from '../../../../runners/extract/candidates/guesses/guesses.ts'
import { CompiledCss } from '../../../../runners/extract/css/css.ts'
import { extract } from '../../../../runners/extract/extract.ts'
import { parseMarkup } from '../../../../runners/extract/on-tree.ts'
import { checkRules } from '../../../../runners/extract/rules.ts'
import { textOf, type Tree } from '../../../../runners/extract/tree.ts'
import { compileXPath, runXPath } from '../../../../runners/extract/xpath/compile.ts'
import { DiffPredicate } from '../../../../schema/monitor/diff-predicate.ts'
import { ExtractConfig } from '../../../../schema/monitor/extract-config.ts'
import { checkerOf } from '../../../../schema/validation/validate.ts'
import { html, values } from '../pages.ts'
import { elementsOf } from './element-of.ts'

const RUNS = 150

const NAME = fc.constantFrom(
  'div',
  'p',
  'span',
  'a',
  'b',
  'li',
  'ul',
  'td',
  'tr',
  'table',
  'h2',
  'dt',
  'dd',
  'svg',
  'x-y',
)
const WORD = fc.oneof(
  fc.constantFrom('price', 'item', 'main', 'css-1x2y3z', 'a"b', "it's", 'a]b', 'x y', 'active', '1st', 'ü', '$5'),
  fc.string({ maxLength: 8 }),
)
const ATTRIBUTE = fc.tuple(
  fc.constantFrom('class', 'id', 'itemprop', 'data-role', 'data-testid', 'aria-label', 'href', 'name', 'hidden'),
  WORD,
)
const TEXT = fc.constantFrom('Price', 'Price:', '$5', '$19.99', 'v1.2.3', 'Version 2.0', '', ' ', 'two words', '12')

interface Node {
  readonly name: string
  readonly attributes: readonly (readonly [string, string])[]
  readonly children: readonly (Node | string)[]
}

const { node: NODE } = fc.letrec<{ node: Node; child: Node | string }>((tie) => ({
  child: fc.oneof({ depthSize: 'small', withCrossShrink: true }, TEXT, tie('node')),
  node: fc.record({
    name: NAME,
    attributes: fc.array(ATTRIBUTE, { maxLength: 3 }),
    children: fc.array(tie('child'), { maxLength: 5 }),
  }),
}))
const DOCUMENT = fc
  .tuple(fc.constantFrom('<!doctype html>', ''), fc.array(NODE, { minLength: 1, maxLength: 4 }))
  .map(([doctype, nodes]) => `${doctype}<body>${nodes.map(written).join('')}`)

function written(node: Node | string): string {
  if (typeof node === 'string') return node
  const attributes = node.attributes.map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')
  return `<${node.name}${attributes}>${node.children.map(written).join('')}</${node.name}>`
}

const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

function parsed(body: string): Tree {
  const read = parseMarkup(html(body))
  if (!read.ok) throw new Error(read.fault.message)
  return read.tree
}

/** Returns what a rule finds first, without anything of the code that offers it. */
function firstOf(method: 'css' | 'xpath', rule: string, tree: Tree): unknown {
  if (method === 'css') return new CompiledCss(rule).first(tree)
  const outcome = compileXPath(rule)
  if (!outcome.ok) throw outcome.fault
  const found = runXPath(outcome.compiled, tree)
  return typeof found === 'object' ? found[0] : null
}

describe('for a random document', () => {
  test('each candidate finds the element first, and a run reads the value that is shown', () => {
    fc.assert(
      fc.property(DOCUMENT, fc.nat(), fc.constantFrom(null, 'xpath' as const), (body, at, method) => {
        const tree = parsed(body)
        const elements = elementsOf(tree)
        const element = elements[at % elements.length]
        if (element === undefined) throw new Error('no element')
        const offers = candidatesOf(tree, element, { method })
        expect(offers.values.length).toBeGreaterThan(0)
        for (const { method: language, rule, value } of offers.values) {
          expect(firstOf(language, rule, tree)).toBe(element)
          expect(value).toBe(textOf(element).trim())
        }
        for (const { method: language, rule, value } of [...offers.values, ...offers.attributes, ...offers.lists]) {
          const config = { method: language, fields: { it: rule } }
          expect(checkRules(config)).toEqual([])
          expect(values(extract(html(body), config))).toEqual({ it: value })
        }
        for (const { value } of offers.lists) expect(value).toContain(textOf(element).trim())
      }),
      { numRuns: RUNS },
    )
  })

  test('each guess is a valid configuration that gives the values that are shown', () => {
    const [configs, predicates] = [checkerOf(ExtractConfig), checkerOf(DiffPredicate)]
    fc.assert(
      fc.property(DOCUMENT, (body) => {
        const guesses = guessesOf(html(body))
        if ('ok' in guesses) throw new Error(guesses.fault.message)
        expect(guesses.at(-1)?.kind).toBe('page')
        for (const { extract_config: config, diff_predicate: predicate, values: shown } of guesses) {
          expect(configs.validate(config).ok).toBe(true)
          expect(predicates.validate(predicate).ok).toBe(true)
          if (shown !== null) expect(values(extract(html(body), config))).toEqual(shown)
        }
      }),
      { numRuns: RUNS },
    )
  })
})
