import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { html, one } from '../pages.ts'

const PAGE = html(
  '<!doctype html><html lang=en><head><title>T</title></head><body><div id=a><p class=x>one</p><p>two ' +
    '<b>bold</b></p></div>' +
    '<div id=b><p>three</p><!-- note --><svg viewBox="0 0 9 9"><use xlink:href="#i" ' +
    'href="#j"/></svg></div></body></html>',
)

function xp(expr: string): unknown {
  return one(PAGE, 'xpath', expr)
}

describe('xpath', () => {
  test('gives the string value of the first node in document order, trimmed, and null for none', () => {
    expect(xp('//p')).toBe('one')
    expect(xp('//b/preceding::p | //title')).toBe('T')
    expect(xp('//h1')).toBeNull()
  })

  test('leaves numbers and booleans what they are; NaN and infinities, which JSON has not, are null', () => {
    expect(xp('count(//p)')).toBe(3)
    expect(xp('boolean(//h1)')).toBe(false)
    expect(xp('number(//title)')).toBeNull()
    expect(xp('1 div 0')).toBeNull()
    expect(Object.is(xp('-0'), 0)).toBe(true)
  })

  test.each([
    ['count(//b/following::*)', 4],
    ['count(//b/preceding::*)', 3],
    ['//b/ancestor::*[1]', 'two bold'],
    ['name(//b/ancestor::*[last()])', 'html'],
    ['(//p)[2]', 'two bold'],
    ['count(//p[1])', 2],
    ['count(//p[position() = last()])', 2],
    ['//div[2]/preceding-sibling::div/p[2]/b', 'bold'],
    ['//p[. = "three"]/following-sibling::comment()', 'note'],
    ['count(//div//p | //p)', 3],
    ['count(//@id/..)', 2],
    ['//p[@class]/@class', 'x'],
    ['count(//*/ancestor::*//*)', 11],
    ['string(id("b a")/p)', 'one'],
    ['count(id("a b nowhere"))', 2],
    ['count(//p[count(*) mod 2 = 1])', 1],
    ['//div[p="three"]/@id', 'b'],
    ['count(//p[.//b or @class])', 2],
    ['count(//node()[self::p])', 3],
    ['count(/ancestor-or-self::node())', 1],
    ['count(//p/following-sibling::*)', 2],
    ['count(//p/preceding-sibling::*)', 1],
    ['count(//p/following-sibling::node())', 3],
    ['count(//p/following::*[1])', 3],
    ['count(//p/preceding::*[last()])', 1],
    ['count(//*/descendant::p[1])', 2],
    ['count(//namespace::*)', 0],
  ])('walks %s', (expr, expected) => {
    expect(xp(expr)).toBe(expected)
  })

  test.each([
    ['substring("12345", 2, 3)', '234'],
    ['substring("12345", 1.5, 2.6)', '234'],
    ['substring("12345", 0 div 0, 3)', ''],
    ['substring("12345", -42, 1 div 0)', '12345'],
    ['translate("bar", "abc", "AB")', 'BAr'],
    ['normalize-space("  a \t b ")', 'a b'],
    ['concat("a", 1.50, true())', 'a1.5true'],
    ['string(1000000000000000000000)', '1000000000000000000000'],
    ['string(0.0000001)', '0.0000001'],
    ['substring-before("a-b", "x")', ''],
    ['substring-after("a-b", "-")', 'b'],
    ['string-length("\u{1F600}")', 2],
    ['round(-2.5)', -2],
    ['5 mod -2', 1],
    ['- - 3', 3],
    ['"2" > 1', true],
    ['//p > 1', false],
    ['//title != //title', false],
    ['//p != //p', true],
    ['not(//h1 = //h2)', true],
    ['lang("en")', false],
    ['count(//p[lang("EN")])', 3],
    ['sum(//title)', null],
    ['number(" 5. ")', 5],
    ['number("+5")', null],
    ['number("")', null],
  ])('computes %s', (expr, expected) => {
    expect(xp(expr)).toBe(expected)
  })

  test('ignores the case of HTML names, not that of SVG names, and keeps both apart', () => {
    expect(xp('//P/@CLASS')).toBe('x')
    expect(xp('count(//svg)')).toBe(0)
    expect(xp('name(//*[local-name()="svg"])')).toBe('svg')
    expect(xp('//*[local-name()="svg"]/@viewBox')).toBe('0 0 9 9')
    expect(xp('count(//svg:svg/@viewbox)')).toBe(0)
    expect(xp('//svg:use/@href')).toBe('#j')
    expect(xp('//svg:use/@xlink:href')).toBe('#i')
  })

  test('treats words as names or operators by their position', () => {
    const page = html('<div>6</div><mod>4</mod><or>1</or>')
    expect(one(page, 'xpath', '//div div //or')).toBe(6)
    expect(one(page, 'xpath', '//div mod //mod')).toBe(2)
    expect(one(page, 'xpath', 'concat(//or, //div)')).toBe('16')
    expect(one(page, 'xpath', 'count(//*[self::or or self::mod])')).toBe(2)
    expect(one(page, 'xpath', '2*3')).toBe(6)
  })

  test('finds each node once and in order, whatever way leads to it', () => {
    const tree = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constant('<i>x</i>'),
        fc.array(tie('node'), { maxLength: 4 }).map((inner) => `<div>${inner.join('')}</div>`),
      ),
    })).node
    fc.assert(
      fc.property(tree, (body) => {
        const page = html(`<!doctype html><body>${body}`)
        const all = one(page, 'xpath', 'count(//*)')
        expect(one(page, 'xpath', 'count(//*/ancestor-or-self::*/descendant-or-self::*)')).toBe(all)
        expect(
          one(
            page,
            'xpath',
            'count(//*[count(ancestor::* | descendant::* | preceding::* | following::* | .) = count(//*)])',
          ),
        ).toBe(all)
        expect(one(page, 'xpath', 'count(//*[last()]/..)')).toBe(one(page, 'xpath', 'count(//*[*]) + 1'))
      }),
      { numRuns: 60 },
    )
  })
})
