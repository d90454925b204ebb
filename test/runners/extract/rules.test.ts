import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extract } from '../../../runners/extract/extract.ts'
import { checkRules } from '../../../runners/extract/rules.ts'
import { html, json } from './pages.ts'

type Method = 'css' | 'xpath' | 'json_path' | 'regex'

function fault(method: Method, rule: string): string {
  return checkRules({ method, fields: { it: rule } })[0]?.message ?? 'none'
}

const REFUSED: readonly (readonly [Method, string, string])[] = [
  ['css', 'a:not(', 'column 6: this parenthesis is never closed'],
  ['css', 'div a[href', 'column 6: this attribute selector is not closed'],
  ['css', 'a,,b', 'column 2: a selector is missing'],
  ['css', 'a > > b', 'column 3: two combinators'],
  ['css', 'a > , b', 'column 3: a selector must follow'],
  ['css', 'ul li:not(a >)', 'column 13: a selector must follow'],
  ['css', '> a', 'column 1: a selector cannot begin with a combinator'],
  ['css', 'a..b', 'column 2: a name must follow .'],
  ['css', 'a{b}', 'column 2: unexpected character {'],
  ['css', 'p a:nonsense', 'column 4: there is no pseudo-class :nonsense'],
  ['css', 'p:is(a, b:nonsense)', 'column 10: there is no pseudo-class :nonsense'],
  ['css', 'a:constructor', 'column 2: there is no pseudo-class :constructor'],
  ['css', 'a::before', 'the pseudo-element ::before'],
  ['css', 'a::attr()', 'column 9: ::attr() needs the name of an attribute'],
  ['css', 'a::attr(a b)[]', 'column 9: ::attr() needs the name of an attribute'],
  ['css', 'a::text b', 'column 2: ::attr(NAME) and ::text stand at the end of the whole rule'],
  ['css', 'a::text::attr(href)', 'column 2: ::attr(NAME) and ::text stand at the end'],
  ['css', 'a:not(b::text)', 'column 8: ::attr(NAME) and ::text stand at the end'],
  ['css', 'a, b::attr(href)', 'column 5: write the list as :is(a, b)::attr(href)'],
  ['css', 'a, ::text', 'column 4: write the list as :is(a, *)::text'],
  ['css', 'a..b::text', 'column 2: a name must follow .'],
  ['css', 'media|content', 'column 6: namespaces are not supported'],
  ['css', 'a:nth-child(foo)', 'column 2: '],
  ['css', ' ', 'the selector is empty'],
  ['css', '[]', 'column 1: the selector is empty'],
  ['css', 'a[][]', 'column 3: '],
  ['css', 'li[] a', 'column 4: '],
  ['xpath', '[]', 'column 1: '],
  ['xpath', '//a[][]', 'column 5: '],
  ['xpath', 'count(//a)[]', 'column 11: only an expression that selects nodes can end in []'],
  ['xpath', 'string(//a)[] ', 'column 12: only an expression that selects nodes can end in []'],
  ['json_path', '$.a[]', 'column 4: '],
  ['xpath', '//a[', 'column 5: expected a name, found the end'],
  ['xpath', '//a[@href=]', 'column 11: expected a name, found ]'],
  ['xpath', '//a["x]', 'column 5: the string that starts here has no closing "'],
  ['xpath', 'document("file:///etc/passwd")', 'column 1: there is no function document()'],
  ['xpath', '//a[unparsed-text("x")]', 'column 5: there is no function unparsed-text()'],
  ['xpath', 'x:foo()', 'column 1: there is no function x:foo()'],
  ['xpath', 'substring("a")', 'column 1: substring() takes 2 or 3 arguments, not 1'],
  ['xpath', 'count("a")', 'column 1: count() takes a path'],
  ['xpath', '//a | 1', 'column 5: both sides of | must be paths'],
  ['xpath', '//nowhere::a', 'column 3: there is no axis nowhere::'],
  ['xpath', '$x', 'column 1: there are no variables'],
  ['xpath', '//a b', 'column 5: expected the end'],
  ['xpath', '//a/text()#', 'column 11: unexpected character #'],
  ['json_path', 'price', 'column 1: a JSONPath begins with $'],
  ['json_path', '$.a[', 'column 5: '],
  ['json_path', '$.a b', 'column 5: '],
  ['json_path', '$.a.', 'column 5: the path ends'],
  ['json_path', '$[?foo(@)]', "column 4: no such function 'foo'"],
  ['json_path', '$[?(@.constructor.constructor("return 1")())]', 'column'],
  ['regex', '(a', 'column 1: unterminated group'],
  ['regex', '((a)(b', 'column 5: unterminated group'],
  ['regex', 'a)', "column 2: unmatched ')'"],
  ['regex', 'x*+', 'column 3: nothing to repeat'],
  ['regex', '[b-a]', 'column 4: range out of order'],
]

describe('checkRules', () => {
  test.each(REFUSED)('refuses the %s rule %j and says where and why', (method, rule, message) => {
    expect(fault(method, rule)).toContain(message)
  })

  test.each<readonly [Method, string]>([
    ['css', 'div > p.price:not(.old, .x) + a[href^="/x"]:nth-child(2n + 1)'],
    ['css', ":contains(it's)"],
    ['css', 'tr:has(> td:first-child)'],
    ['css', '#\\33 x, m\\:content'],
    ['xpath', 'normalize-space(//*[contains(concat(" ", @class, " "), " x ")][last()]/ancestor::div[1]/@id)'],
    ['xpath', 'media:content/@url'],
    ['xpath', '-(-count(//a) * 2 div 3)'],
    ['json_path', "$.store..book[?@.price < 10 && match(@.isbn, '[0-9]+')]['title', 'author']"],
    ['json_path', '$'],
    ['regex', '(?i:price)\\s*[:(]\\s*(?<n>[\\d.,]+)'],
  ])('accepts the %s rule %s', (method, rule) => {
    expect(fault(method, rule)).toBe('none')
  })

  test('names the field as the API names paths, and every field that is wrong', () => {
    const issues = checkRules({ method: 'css', fields: { ok: 'a', price: 'a[', 'old price': '' } })
    expect(issues.map(({ path }) => path)).toEqual(['fields.price', 'fields["old price"]'])
  })

  test('has nothing to say of full_page and prompt', () => {
    expect(checkRules({ method: 'full_page' })).toEqual([])
    expect(checkRules({ method: 'prompt', prompt: 'What is the price?' })).toEqual([])
  })

  test.each<readonly [Method, string, string]>([
    ['css', 'length', 'a'.repeat(1_001)],
    ['css', 'nesting', `${':not('.repeat(51)}a${')'.repeat(51)}`],
    ['css', '5,000 nested :not(', ':not('.repeat(5_000)],
    ['css', 'selectors', Array.from({ length: 51 }, () => 'a').join(',')],
    ['css', 'selectors within :is', `:is(${Array.from({ length: 51 }, () => 'a').join(',')})`],
    ['xpath', 'nesting', `${'('.repeat(51)}1${')'.repeat(51)}`],
    ['xpath', '5,000 parentheses', '('.repeat(5_000)],
    ['json_path', 'nesting', `$${'[?@'.repeat(51)}`],
    ['regex', 'nesting', `${'('.repeat(51)}${')'.repeat(51)}`],
  ])('limits %s rules: %s', (method, _what, rule) => {
    expect(fault(method, rule)).toMatch(/at most|deep/)
  })

  test('accepts rules just within the limits', () => {
    expect(fault('css', 'a'.repeat(1_000))).toBe('none')
    expect(fault('css', `${':not('.repeat(50)}a${')'.repeat(50)}`)).toBe('none')
    expect(fault('css', Array.from({ length: 50 }, () => 'a').join(','))).toBe('none')
    expect(fault('xpath', `${'('.repeat(50)}1${')'.repeat(50)}`)).toBe('none')
    expect(fault('regex', `${'('.repeat(50)}${')'.repeat(50)}`)).toBe('none')
  })

  const pieces = {
    css: [
      'a',
      '.b',
      '#c',
      '[d]',
      '[d="e"]',
      ':not(',
      ':is(',
      ')',
      '(',
      '>',
      '+',
      '~',
      ',',
      ' ',
      ':first-child',
      ':nth-child(2)',
      '*',
      '\\',
      '"',
      '|',
      ':has(',
      '::x',
    ],
    xpath: [
      'a',
      '/',
      '//',
      '@',
      '*',
      '[',
      ']',
      '(',
      ')',
      '1',
      '"x"',
      '=',
      '|',
      '.',
      '..',
      '-',
      'and',
      ' ',
      'count(',
      'last()',
      'self::',
      'text()',
      ',',
      ':',
      '$',
      'x:y',
    ],
    json_path: [
      '$',
      '.a',
      '..',
      '[',
      ']',
      '*',
      '0',
      ':',
      '?',
      '@',
      '(',
      ')',
      '"b"',
      "'c'",
      '==',
      '&&',
      '!',
      'count(',
      'match(',
      ',',
      '-1',
      ' ',
    ],
    regex: [
      'a',
      '(',
      ')',
      '[',
      ']',
      '*',
      '+',
      '?',
      '{2}',
      '|',
      '\\',
      '^',
      '$',
      '.',
      '(?:',
      '(?<n>',
      '(?=',
      'b-',
      '(?i:',
    ],
  } as const

  test.each<Method>(['css', 'xpath', 'json_path', 'regex'])(
    'never throws on any %s rule, and lets none through that then cannot run',
    (method) => {
      const rule = fc
        .array(fc.oneof(fc.constantFrom<string>(...pieces[method]), fc.string({ maxLength: 2 })), { maxLength: 12 })
        .map((parts) => parts.join(''))
      const target = method === 'json_path' ? json({ a: [1, { b: 'c' }] }) : html('<a class=b><i d=e>x</i></a>')
      fc.assert(
        fc.property(rule, (source) => {
          const config = { method, fields: { it: source } }
          const issues = checkRules(config)
          const extraction = extract(target, config)
          expect(extraction.ok || issues.length > 0).toBe(true)
        }),
        { numRuns: 1_500 },
      )
    },
  )
})
