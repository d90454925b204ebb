import type { AnyNode, Element } from 'domhandler'
import { parseHtml } from '../../../../runners/extract/html/html.ts'
import { checkRules } from '../../../../runners/extract/rules.ts'
import { childrenOf, isElement } from '../../../../runners/extract/tree.ts'
import type { Method } from './both-readings.ts'

/** Chooses one of some things, again and again. */
type Choose = <T>(from: readonly T[]) => T | undefined

/** A rule for elements that a page has. */
interface MadeRule {
  readonly method: Method
  readonly rule: string
}

/**
 * Returns rules for elements of a page: what people and tools write, and what nobody would. Some of them cannot be
 * decided before the end of the page.
 *
 * @param numbers by which they are made; equal ones give the same rules
 */
export function madeRules(text: string, numbers: readonly number[]): readonly MadeRule[] {
  const tree = parseHtml(text)
  if (tree.kind === 'too_complex') return []
  const elements = elementsIn(tree.document)
  let at = 0
  const choose: Choose = (from) => {
    at += 1
    return from[(numbers[at % numbers.length] ?? 0) % Math.max(1, from.length)]
  }
  const rules: MadeRule[] = []
  while (at < numbers.length) {
    const element = choose(elements)
    const method = choose(['css', 'css', 'xpath'] as const) ?? 'css'
    if (element === undefined) break
    const rule = method === 'css' ? cssRule(element, choose) : xpathRule(element, choose)
    if (checkRules({ method, fields: { it: rule } }).length === 0) rules.push({ method, rule })
  }
  return rules
}

const ALWAYS_THERE = new Set(['html', 'head', 'body'])

function elementsIn(document: AnyNode): Element[] {
  const found: Element[] = []
  const stack: AnyNode[] = [document]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isElement(node) && !ALWAYS_THERE.has(node.name)) found.push(node)
    stack.push(...childrenOf(node))
  }
  return found
}

/** Most of a rule is plain. */
const PLAIN = Array.from({ length: 16 }, () => '')
const PSEUDOS = [
  ...PLAIN,
  ':first-child',
  ':nth-child(2)',
  ':nth-child(odd)',
  ':first-of-type',
  ':nth-of-type(2)',
  ':not(:first-child)',
  ':not([id])',
  ':is(a, b, p, div)',
  ':last-child',
  ':nth-last-child(1)',
  ':empty',
  ':only-child',
  ':has(b)',
  ':root',
]
const PARTS = [...PLAIN, '::text', '::attr(class)', '::attr(href)', '::attr(id)']
const COMBINATORS = [' ', ' > ', ' + ', ' ~ ', ', ']

function cssRule(element: Element, choose: Choose): string {
  let rule = compound(element, choose)
  for (let more = choose([0, 0, 1, 1, 2]) ?? 0, from: AnyNode | null = element; more > 0 && from; more -= 1) {
    const combinator = choose(COMBINATORS) ?? ' '
    from = combinator === ' + ' || combinator === ' ~ ' ? from.prev : from.parent
    if (from && isElement(from)) rule = compound(from, choose) + combinator + rule
  }
  return rule + (choose(PARTS) ?? '')
}

function compound(element: Element, choose: Choose): string {
  const names = Object.keys(element.attribs).filter((name) => /^[a-z-]+$/.test(name))
  const name = choose([...names, ''])
  const type = /^[a-z0-9]+$/.test(element.name) ? (choose([element.name, '*', '']) ?? '') : '*'
  const value = name ? (element.attribs[name] ?? '') : ''
  const isPlain = /^[a-zA-Z][\w-]*$/.test(value)
  const test = name
    ? name === 'class' && isPlain
      ? `.${value}`
      : name === 'id' && isPlain
        ? `#${value}`
        : (choose([`[${name}]`, `[${name}=${JSON.stringify(value.replace(/[^\w -]/g, ''))}]`]) ?? '')
    : ''
  return (type + test || '*') + (choose(PSEUDOS) ?? '')
}

const PREDICATES = [
  ...PLAIN,
  '[1]',
  '[2]',
  '[position() < 3]',
  '[@id]',
  '[not(@class)]',
  '[@class="x"]',
  '[contains(@class, "a")]',
  '[parent::div]',
  '[ancestor::p]',
  '[preceding-sibling::*]',
  '[ancestor::*/@class]',
  '[name() = "b" or @href]',
  '[last()]',
  '[text()]',
  '[. = "x"]',
  '[following-sibling::*]',
  '[count(*) > 1]',
]
const ENDS = [...PLAIN, '/text()', '/@class', '/@*', '/..', '/node()', '/self::*', '//text()', '/comment()']
const AROUND = [
  ...PLAIN.map(() => '$'),
  'string($)',
  'normalize-space($)',
  'concat("a", $)',
  '($)[1]',
  '($)[2]',
  'count($)',
  '$ = "x"',
]

function xpathRule(element: Element, choose: Choose): string {
  let path = ''
  let node: AnyNode | null = element
  for (let steps = choose([1, 1, 2, 3]) ?? 1; steps > 0 && node && isElement(node); steps -= 1, node = node.parent) {
    const name = /^[a-z0-9]+$/.test(node.name) ? (choose([node.name, node.name, '*']) ?? '*') : '*'
    path = (choose(['//', '/']) ?? '/') + name + (choose(PREDICATES) ?? '') + path
  }
  const whole = (path.startsWith('//') ? path : `/${path}`) + (choose(ENDS) ?? '')
  return (choose(AROUND) ?? '$').replace('$', () => whole)
}
