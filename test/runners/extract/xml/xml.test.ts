import { describe, expect, test } from 'vitest'
import { extract } from '../../../../runners/extract/extract.ts'
import { one, page, values, xml } from '../pages.ts'

const ATOM =
  '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" ' +
  'xmlns:m="urn:media"><title>F</title><entry><title>E</title><m:k a="1" m:a="2">v</m:k></entry></feed>'

describe('xml', () => {
  test('an unprefixed name finds the default namespace, a prefix means what the document declares', () => {
    expect(one(xml(ATOM), 'xpath', '/feed/entry/title')).toBe('E')
    expect(one(xml(ATOM), 'xpath', '//m:k')).toBe('v')
    expect(one(xml(ATOM), 'xpath', '//m:k/@a')).toBe('1')
    expect(one(xml(ATOM), 'xpath', '//m:k/@m:a')).toBe('2')
    expect(one(xml(ATOM), 'xpath', 'namespace-uri(//m:k)')).toBe('urn:media')
    expect(one(xml(ATOM), 'xpath', 'local-name(//m:*)')).toBe('k')
    expect(one(xml(ATOM), 'xpath', 'count(//@*)')).toBe(2)
  })

  test('an unprefixed name finds what is written with a prefix of the default namespace as well', () => {
    expect(one(xml('<a:feed xmlns:a="urn:x" xmlns="urn:x"><a:t>y</a:t></a:feed>'), 'xpath', '/feed/t')).toBe('y')
  })

  test('a prefix that is declared nowhere finds what is written with it, and is warned of', () => {
    const extraction = extract(xml('<rss><item><x:y>z</x:y></item></rss>'), {
      method: 'xpath',
      fields: { it: '//x:y' },
    })
    expect(values(extraction)).toEqual({ it: 'z' })
    expect(extraction.ok && extraction.warnings).toEqual([
      'The prefix x: of the field it is not declared in the answer.',
    ])
  })

  test('reads CDATA as text, as one node with the text around it', () => {
    const feed = xml('<a>one <![CDATA[<two> & ]]>three</a>')
    expect(one(feed, 'xpath', '/a')).toBe('one <two> & three')
    expect(one(feed, 'xpath', 'count(/a/text())')).toBe(1)
    expect(one(feed, 'css', 'a')).toBe('one <two> & three')
  })

  test('expands the five entities and character references, and none that a document declares', () => {
    const bomb =
      '<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;"><!ENTITY f SYSTEM ' +
      '"file:///etc/hostname">]><a>&lt;&#65;&#x42;&y;&f;</a>'
    expect(one(xml(bomb), 'xpath', '/a')).toBe('<AB&y;&f;')
    expect(one(xml(bomb), 'xpath', 'string(/)')).toBe('<AB&y;&f;')
  })

  test('goes on with what is not well formed', () => {
    expect(one(xml('<rss><channel><item><title>A & B</title><item><title>C'), 'xpath', 'count(//title)')).toBe(2)
    expect(one(xml('<rss><item><title>A & B</b></title></item>'), 'xpath', '//title')).toBe('A & B')
  })

  test.each([
    ['application/rss+xml', '<rss><link>x</link></rss>', 'x'],
    ['text/xml; charset=utf-8', '<rss><link>x</link></rss>', 'x'],
    ['text/plain', '<?xml version="1.0"?><rss><link>x</link></rss>', 'x'],
    [null, '\n<!-- c --><rss version="2.0"><link>x</link></rss>', 'x'],
    [null, '<r xmlns="urn:x"><link>x</link></r>', 'x'],
    ['application/octet-stream', '<urlset><link>x</link></urlset>', 'x'],
    ['text/html', '<rss><link>x</link></rss>', ''],
    [null, '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><link>x</html>', ''],
  ])('with the type %s reads %s as what it is', (type, body, link) => {
    expect(one(page(body, type), 'xpath', 'string(//link)')).toBe(link)
  })
})
