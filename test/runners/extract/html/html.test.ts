import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHtml } from '../../../../runners/extract/html/html.ts'
import { original, ours } from './outline.ts'
import { PIECES, SPACES } from './pieces.ts'

const MARKUP = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.constantFrom(...SPACES) },
    ),
    {
      maxLength: 30,
    },
  )
  .map((pieces) => pieces.join(''))

describe('reading HTML by stretches', () => {
  test('gives the tree of the original on any soup of tags', () => {
    fc.assert(
      fc.property(MARKUP, (text) => {
        expect(ours(text)).toEqual(original(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test('gives the tree of the original for every page that is cut off at any character', () => {
    const page =
      '<!doctype html><title>A &amp; B</title><pre>\n x</pre><p class="a  b" ID=\'c\' d=e&amp;f g>Cup ' +
      '&lt;&eacute;> 😀<!-- a - b --><br/>' +
      '<script>if (a < b && c) "</p>"</script><textarea>\n&gt;</textarea><svg viewBox="0"><a xlink:href=#x ' +
      '/></svg><table>x<td> y'
    for (let end = 0; end <= page.length; end += 1)
      expect(ours(page.slice(0, end))).toEqual(original(page.slice(0, end)))
  })

  test.each([
    ['a NUL', '<p a="\0">x\0y</p\0><script>\0</script>'],
    ['carriage returns', '<pre>\r\nx\r\r\ny</pre><p a="\r\n">&#13;</p>'],
    ['attributes that are there twice', '<p a=1 b="2" A=3 a b=\'4\'>'],
    ['a second html and body without attributes', '<html lang=en><body class=x><p>a<html><body><p>b'],
    ['a second html and body with attributes', '<html><body><p>a<html lang=en><body class=x id=y><p>b<body id=z>'],
    [
      'a second body with an attribute that is there',
      '<html lang=en><body class=x id=a><body id=b lang=c><html lang=de>',
    ],
    ['a name that is there with and without a prefix', '<svg><use href=a xlink:href=b xml:lang=c lang=d>'],
    ['names that objects have', '<p __proto__=1 constructor=2><__proto__>'],
    ['more than the original keeps in its buffer', `${'<p title="x &amp; y">text 😀 &amp; </p>\n'.repeat(5_000)}`],
  ])('gives the tree of the original for %s', (_what, text) => {
    expect(ours(text)).toEqual(original(text))
  })

  test('takes time in proportion to the page, whatever is in it', () => {
    const units = [
      '<',
      '<!--<',
      '<a b="',
      "<a b='&",
      '<a b="&amp;',
      '</x>',
      '<b></i>',
      '<p a',
      '&amp;',
      '<!-- & ',
      '<i>x',
      '- <!--',
    ]
    for (const unit of units) {
      const started = performance.now()
      parseHtml(`<p title="${unit.repeat(Math.ceil(4e5 / unit.length))}`)
      parseHtml(unit.repeat(Math.ceil(4e5 / unit.length)))
      expect(performance.now() - started).toBeLessThan(5_000)
    }
  })
})
