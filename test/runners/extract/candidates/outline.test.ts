import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Outline } from '../../../../runners/extract/candidates/outline/outline-node.ts'
import { outlineOf } from '../../../../runners/extract/candidates/outline/outline.ts'
import { extract } from '../../../../runners/extract/extract.ts'
import type { Page } from '../../../../runners/extract/page.ts'
import { checkRules } from '../../../../runners/extract/rules.ts'
import { html, json, page, values, xml } from '../pages.ts'

function outlined(given: Page): Outline {
  const outline = outlineOf(given)
  if (outline === null || 'ok' in outline) throw new Error('no outline')
  return outline
}

/** Reads every rule of an outline, and compares what it gives with what is shown. */
function expectReadable(given: Page): void {
  const { method, nodes } = outlined(given)
  for (const { rule, all, value, parts, parent } of nodes) {
    expect(checkRules({ method, fields: { it: rule } })).toEqual([])
    const read = values(extract(given, { method, fields: { it: rule } }))['it'] ?? null
    const text = typeof read === 'string' ? read.replace(/\s+/g, ' ') : JSON.stringify(read)
    if (parts === 0 && typeof read !== 'object' && !/[^ -~]/.test(text) && text.length < 100)
      expect(value).toBe(text.trim())
    if (all === null) continue
    const list = values(extract(given, { method, fields: { it: all } }))['it']
    expect(list).toContainEqual(read)
    expect(parent).not.toBeNull()
  }
}

describe('the outline of JSON', () => {
  test('has the path of each value, and that of all like it', () => {
    const { nodes, method, isCut } = outlined(json({ items: [{ 'a b': 1 }, { 'a b': 'two' }], total: 2 }))
    expect([method, isCut]).toEqual(['json_path', false])
    expect(nodes.map(({ parent, name, rule, all, value }) => [parent, name, rule, all, value])).toEqual([
      [null, '$', '$', null, '2 members'],
      [0, 'items', '$.items', null, '2 items'],
      [0, 'total', '$.total', null, '2'],
      [1, '[0]', '$.items[0]', '$.items[*]', '1 member'],
      [1, '[1]', '$.items[1]', '$.items[*]', '1 member'],
      [3, 'a b', '$.items[0]["a b"]', '$.items[*]["a b"]', '1'],
      [4, 'a b', '$.items[1]["a b"]', '$.items[*]["a b"]', 'two'],
    ])
  })

  test('is read by the extractor as it is shown, for random documents', () => {
    // A member that is called \\ alone is not read (prescan-json.ts).
    const isRead = (one: unknown) => typeof one === 'object' && one !== null && !JSON.stringify(one).includes('"\\\\":')
    const value = fc.jsonValue({ maxDepth: 4 }).filter(isRead)
    fc.assert(
      fc.property(value, (one) => expectReadable(json(one))),
      { numRuns: 100 },
    )
  })

  test('is bounded for large and for deep documents, and says so', () => {
    for (const large of [Array.from({ length: 20_000 }, (_, n) => [n, [n]]), { ['x'.repeat(2_000)]: 1 }, deep(150)]) {
      const { nodes, isCut } = outlined(json(large))
      expect(isCut).toBe(true)
      expect(nodes.length).toBeLessThanOrEqual(2_000)
      expect(Math.max(...nodes.map(({ rule }) => rule.length))).toBeLessThanOrEqual(1_000)
    }
  })
})

test('JSON that is too large to be read has no outline, and the reason', () => {
  expect(outlineOf(json(deep(250)))).toMatchObject({ ok: false, fault: { code: 'too_complex' } })
})

const deep = (levels: number): unknown => (levels === 0 ? 1 : { inner: deep(levels - 1) })

describe('the outline of XML', () => {
  test('has the expression of each element and attribute, and that of all like it', () => {
    const { nodes, method } = outlined(xml('<rss v="2"><item><t>A</t></item><item><t>B</t></item></rss>'))
    expect(method).toBe('xpath')
    expect(nodes.map(({ parent, name, rule, all, value }) => [parent, name, rule, all, value])).toEqual([
      [null, 'rss', '/rss', null, '2 elements'],
      [0, '@v', '/rss/@v', null, '2'],
      [0, 'item', '/rss/item[1]', '/rss/item[]', '1 element'],
      [0, 'item', '/rss/item[2]', '/rss/item[]', '1 element'],
      [2, 't', '/rss/item[1]/t', '/rss/item/t[]', 'A'],
      [3, 't', '/rss/item[2]/t', '/rss/item/t[]', 'B'],
    ])
  })

  test.each([
    '<feed xmlns="urn:a" xmlns:m="urn:m"><m:k>1</m:k><k>2</k><m:k>3</m:k></feed>',
    '<rss xmlns:a="urn:x" xmlns:b="urn:x"><a:k>1</a:k><b:k>2</b:k></rss>',
    '<rss><u:k>1</u:k><u:k>2</u:k></rss>',
    '<rss xmlns:a="urn:x"><i xmlns:a="urn:y"><a:k>1</a:k></i><a:k>2</a:k></rss>',
    '<feed xmlns="urn:a" xmlns:a="urn:a"><a:k>1</a:k><k>2</k></feed>',
    '<rss><k x="1" y:z="2" xmlns="q">a</k><!-- c --><k><![CDATA[b]]></k></rss>',
  ])('is read by the extractor as it is shown: %s', (body) => {
    expectReadable(xml(body))
  })

  test('is bounded for large and for deep documents, and says so', () => {
    const large = [
      `<rss>${'<item><title>x</title></item>'.repeat(40_000)}</rss>`,
      `${'<a>'.repeat(400)}x${'</a>'.repeat(400)}`,
    ]
    for (const body of large) {
      const { nodes, isCut } = outlined(xml(body))
      expect(isCut).toBe(true)
      expect(nodes.length).toBeLessThanOrEqual(2_000)
    }
  })
})

test('HTML, texts and pictures have no outline', () => {
  for (const given of [html('<p>x'), page('a text', 'text/plain'), page('{"a":1}', 'image/png')])
    expect(outlineOf(given)).toBeNull()
})
