import { describe, expect, test } from 'vitest'
import { html, one, xml } from '../pages.ts'

describe('css', () => {
  test('gives the trimmed text of the first match, with the white space inside it as it is', () => {
    expect(one(html('<p>  a <b>b</b>\n\tc </p><p>second</p>'), 'css', 'p')).toBe('a b\n\tc')
  })

  test('gives null for no match and the empty string for an empty element', () => {
    expect(one(html('<p></p>'), 'css', 'h1')).toBeNull()
    expect(one(html('<p></p>'), 'css', 'p')).toBe('')
  })

  test('reads noscript as elements and leaves the content of a template out, as a browser without scripts does', () => {
    const page = html('<body><noscript><b>no script</b></noscript><template><i>inert</i></template>')
    expect(one(page, 'css', 'noscript > b')).toBe('no script')
    expect(one(page, 'css', 'i')).toBeNull()
    expect(one(page, 'css', 'template')).toBe('')
  })

  test('matches classes and ids without case in quirks mode only', () => {
    const body = '<p class=Price id=Total>5</p>'
    expect(one(html(body), 'css', '.PRICE')).toBe('5')
    expect(one(html(body), 'css', '#TOTAL')).toBe('5')
    expect(one(html(`<!doctype html>${body}`), 'css', '.PRICE')).toBeNull()
    expect(one(html(`<!doctype html>${body}`), 'css', '.Price')).toBe('5')
  })

  test.each([
    ['P.a', 'x'],
    ['p:not(.b)', 'x'],
    ['div:has(> p.b)', 'xy'],
    [':is(h1, p.b)', 'y'],
    ['div > :nth-child(2)', 'y'],
    ['[data-k="V" i]', 'y'],
    ['p:contains("y")', 'y'],
    ['div :nth-child(1 of .b)', 'y'],
  ])('understands %s', (selector, text) => {
    expect(one(html('<!doctype html><div><p class=a>x</p><p class=b data-k=v>y</p></div>'), 'css', selector)).toBe(text)
  })

  test('counts white space as content for :empty, as browsers do', () => {
    expect(one(html('<p> </p><p><!-- c --></p><p>x</p>'), 'css', 'p:empty + p')).toBe('x')
    expect(one(html('<p> </p><p>x</p>'), 'css', 'p:empty')).toBeNull()
  })

  test('finds SVG elements and attributes whose names have capitals', () => {
    const page = html('<svg viewBox="0 0 1 1"><foreignObject>in</foreignObject></svg>')
    expect(one(page, 'css', 'foreignObject')).toBe('in')
    expect(one(page, 'css', 'svg[viewBox]')).toBe('in')
    expect(one(page, 'css', 'svg[viewBox="0 0 1 1"]')).toBe('in')
    expect(one(page, 'css', 'svg[viewBox="0 0 2 2"]')).toBeNull()
  })

  test('minds case in XML, and reads a prefix behind an escaped colon', () => {
    const feed = xml('<rss xmlns:m="urn:m"><item><pubDate>today</pubDate><m:k>v</m:k></item></rss>')
    expect(one(feed, 'css', 'item > pubDate')).toBe('today')
    expect(one(feed, 'css', 'item > pubdate')).toBeNull()
    expect(one(feed, 'css', 'm\\:k')).toBe('v')
  })
})
