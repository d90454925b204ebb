import { describe, expect, test } from 'vitest'
import { html, one, xml } from '../pages.ts'

const LINKS =
  '<!doctype html><ul><li><a title=none>no link</a>' +
  '<li><a href=" /1 ">One <b>bold</b> end</a><li><a HREF=/2>Two</a></ul>'

describe('A CSS rule that ends in ::attr(NAME)', () => {
  test('gives the attribute of the first match that has it, trimmed', () => {
    expect(one(html(LINKS), 'css', 'a::attr(href)')).toBe('/1')
    expect(one(html(LINKS), 'css', 'a::ATTR( Href )')).toBe('/1')
    expect(one(html(LINKS), 'css', 'a[title]::attr(href)')).toBeNull()
    expect(one(html('<p class>x</p>'), 'css', 'p::attr(class)')).toBe('')
  })

  test('gives those of all matches that have it, before []', () => {
    expect(one(html(LINKS), 'css', 'a::attr(href)[]')).toEqual(['/1', '/2'])
    expect(one(html(LINKS), 'css', 'a::attr(lang) []')).toEqual([])
  })

  test('compares the name as a selector compares it', () => {
    const page = html('<svg viewBox="0 0 1 1"><use xlink:href="#a"/></svg>')
    expect(one(page, 'css', 'svg::attr(viewbox)')).toBe('0 0 1 1')
    expect(one(page, 'css', 'use::attr(xlink:href)')).toBe('#a')
    const feed = xml('<feed><link href="/1" hreF="/2"/></feed>')
    expect(one(feed, 'css', 'link::attr(hreF)')).toBe('/2')
    expect(one(feed, 'css', 'link::attr(HREF)')).toBeNull()
  })

  test('reads any element where it stands for itself', () => {
    expect(one(html(LINKS), 'css', 'li > ::attr(href)[]')).toEqual(['/1', '/2'])
    expect(one(html('<html lang=en>'), 'css', '::attr(lang)')).toBe('en')
  })

  test('is no part of an attribute selector or of a text', () => {
    expect(one(html('<p title="::text">x</p>'), 'css', 'p[title="::text"]')).toBe('x')
    expect(one(html('<p>a::attr(b)</p>'), 'css', 'p:contains("::attr(b)")')).toBe('a::attr(b)')
  })
})

describe('A CSS rule that ends in ::text', () => {
  test('gives the text without that of elements inside', () => {
    expect(one(html(LINKS), 'css', 'li:nth-child(2) a::text')).toBe('One  end')
    expect(one(html(LINKS), 'css', 'a::text[]')).toEqual(['no link', 'One  end', 'Two'])
    expect(one(html('<p><b>x</b></p>'), 'css', 'p::text')).toBe('')
    expect(one(html(LINKS), 'css', 'h1::text')).toBeNull()
    expect(one(xml('<a><b>x</b> <![CDATA[raw]]></a>'), 'css', 'a::text')).toBe('raw')
  })
})
