import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { extract } from '../../../runners/extract/extract.ts'
import { css, faultCode, html, json, one, page, values, xml } from './pages.ts'

const DATA = json({ price: 12.5, name: ' A ', gone: null, items: [{ id: 1, ok: true }, { id: 2 }], 'a key': 'v' })

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

describe('json_path', () => {
  test('gives the value of a singular query as it is, and null where there is none', () => {
    expect(one(DATA, 'json_path', '$.price')).toBe(12.5)
    expect(one(DATA, 'json_path', '$.name')).toBe(' A ')
    expect(one(DATA, 'json_path', "$['a key']")).toBe('v')
    expect(one(DATA, 'json_path', '$.items[1]')).toEqual({ id: 2 })
    expect(one(DATA, 'json_path', '$.gone')).toBeNull()
    expect(one(DATA, 'json_path', '$.none.deeper')).toBeNull()
    expect(one(json([7]), 'json_path', '$[0]')).toBe(7)
  })

  test('gives the list of values of any other query, also when it is empty or of one', () => {
    expect(one(DATA, 'json_path', '$.items[*].id')).toEqual([1, 2])
    expect(one(DATA, 'json_path', '$.items[?@.ok].id')).toEqual([1])
    expect(one(DATA, 'json_path', '$..none')).toEqual([])
    expect(one(DATA, 'json_path', '$.items[?match(@.none, "x")]')).toEqual([])
  })

  test('fails with wrong_type on what is not JSON, and takes a byte order mark', () => {
    expect(faultCode(extract(html('<p>'), { method: 'json_path', fields: { it: '$' } }))).toBe('wrong_type')
    expect(one(page('\ufeff{"a":1}', 'application/json'), 'json_path', '$.a')).toBe(1)
  })
})

describe('a member that is named by a backslash alone', () => {
  test.each(['"\\\\"', '"\\u005C" '])('(%s) is refused, so that it misleads no later page', (name) => {
    const poison = page(`{"a":1,${name}:2}`, 'application/json')
    expect(faultCode(extract(poison, { method: 'json_path', fields: { it: '$.a' } }))).toBe('too_complex')
    extract(poison, { method: 'full_page' })
    expect(one(page('{"a":1,"\\u0062":2}', 'application/json'), 'json_path', '$.b')).toBe(2)
  })

  test('gets another name where a file was read as JSON', () => {
    const opened = page('{"a":1,"\\\\":2}', 'application/json')
    expect(extract(opened, { method: 'json_path', read_as: 'document', fields: { it: '$.a' } })).toMatchObject({
      values: { it: 1 },
    })
    expect(one(page('{"a":1,"\\u0062":2}', 'application/json'), 'json_path', '$.b')).toBe(2)
  })

  test('is none where it is a value, or only begins a name', () => {
    expect(one(json({ a: '\\', '\\b': 3, c: '"\\' }), 'json_path', "$['\\\\b']")).toBe(3)
  })
})

describe('a rule that ends in []', () => {
  const LIST = html('<ul><li> One <b>1</b></li><li></li><li title="3">Three</li></ul><p class="x[]">no')

  test.each<['css' | 'xpath', string, unknown]>([
    ['css', 'li[]', ['One 1', '', 'Three']],
    ['css', 'li:not(:empty) [] ', ['One 1', 'Three']],
    ['css', 'p, li[title][]', ['Three', 'no']],
    ['css', '[title][]', ['Three']],
    ['css', 'h1[]', []],
    ['css', 'li', 'One 1'],
    ['css', '[class="x[]"]', 'no'],
    ['xpath', '//li[]', ['One 1', '', 'Three']],
    ['xpath', '//p | //li/@title [] ', ['3', 'no']],
    ['xpath', '(//li)[3][]', ['Three']],
    ['xpath', '//h1[]', []],
    ['xpath', '//li[3]', 'Three'],
    ['xpath', 'concat("a", "[]")', 'a[]'],
  ])('%s %j gives %j', (method, rule, expected) => {
    expect(one(LIST, method, rule)).toEqual(expected)
  })

  test('reads XML as well, in document order', () => {
    const feed = xml('<rss><item><title>B</title></item><item><title>A</title></item></rss>')
    expect(one(feed, 'css', 'item > title[]')).toEqual(['B', 'A'])
    expect(one(feed, 'xpath', '//item/title[]')).toEqual(['B', 'A'])
  })

  test('keeps 1,000 items, ends in a mark with the hash of all, and warns', () => {
    const many = (last: string) =>
      extract(html(`${'<li>x'.repeat(1_500)}<li>${last}`), { method: 'css', fields: { it: 'li[]' } })
    const [first, other] = [many('a'), many('b')]
    expect(first).toMatchObject({ warnings: [expect.stringMatching(/^The field it is longer than a run keeps/)] })
    expect(values(first)['it']).toHaveLength(1_000)
    expect(values(first)['it']).not.toEqual(values(other)['it'])
    expect(values(many('a'))).toEqual(values(first))
  })

  test('keeps 256 KiB of all lists together, and stays a list', () => {
    const long = Array.from({ length: 300 }, (_, at) => `<li>${at} ${'ü'.repeat(1_000)}`).join('')
    const read = extract(html(long), { method: 'xpath', fields: { a: '//li[]', b: '//li[]', c: '//li[]' } })
    expect(Buffer.byteLength(JSON.stringify(values(read)))).toBeLessThan(257 * 1024)
    expect(values(read)).toEqual({ a: expect.any(Array), b: expect.any(Array), c: expect.any(Array) })
    expect((values(read)['a'] as string[]).slice(0, 2)).toEqual([
      expect.stringMatching(/^0 ü+$/),
      expect.stringMatching(/^1 ü+$/),
    ])
    expect((values(read)['a'] as string[]).at(-1)).toMatch(/^…\[truncated sha256:[0-9a-f]{32}\]$/)
    expect(read).toMatchObject({
      warnings: [expect.stringContaining(' a '), expect.stringContaining(' b '), expect.stringContaining(' c ')],
    })
  })

  test('keeps its bounds where each match holds all that follow', () => {
    const read = extract(html('<div>some text'.repeat(500)), { method: 'css', fields: { it: 'div[]' } })
    expect(Buffer.byteLength(JSON.stringify(values(read)))).toBeLessThan(257 * 1024)
  })
})

describe('regex', () => {
  test('gives the number of matches of a pattern without a group', () => {
    expect(one(html('<b>in</b> stock, in Stock'), 'regex', 'in')).toBe(2)
    expect(one(html('<b>in</b> stock, in Stock'), 'regex', '(?i:STOCK)')).toBe(2)
    expect(one(html('x'), 'regex', 'y')).toBe(0)
    expect(one(html('x'), 'regex', '\\(|[(]')).toBe(0)
  })

  test('gives the first group of the first match, trimmed; null without a match or without that group', () => {
    expect(one(html('<b class=p> 5 </b><b class=p>6</b>'), 'regex', 'class=p>([^<]*)<')).toBe('5')
    expect(one(html('<b>5</b>'), 'regex', '(?<n>\\d+)')).toBe('5')
    expect(one(html('<b>5</b>'), 'regex', '(\\d\\d)')).toBeNull()
    expect(one(html('<b>5</b>'), 'regex', '(x)?5')).toBeNull()
  })

  test('counts matches of no length and ends', () => {
    expect(one(html('abc'), 'regex', 'x*')).toBe(4)
  })

  test('reads the raw body, decoded by its charset', () => {
    expect(one(page(Buffer.from('caf\xe9', 'latin1'), 'text/plain; charset=iso-8859-1'), 'regex', '(f.)$')).toBe('fé')
  })
})

describe('full_page', () => {
  test('gives the SHA-256 of the bytes', () => {
    expect(values(extract(html('<p>x'), { method: 'full_page' }))).toEqual({ content_hash: sha256('<p>x') })
  })

  test('does not mind the order of keys or the white space of JSON, and minds all else', () => {
    const hash = (body: string): unknown =>
      values(extract(page(body, 'application/json'), { method: 'full_page' }))['content_hash']
    expect(hash('{"a":1,"b":[{"d":1,"c":2}]}')).toBe(hash('{ "b": [{"c":2,"d":1}], "a": 1 }'))
    expect(hash('[1,2]')).not.toBe(hash('[2,1]'))
    expect(hash('{"id":12345678901234567891}')).not.toBe(hash('{"id":12345678901234567892}'))
    expect(hash('{"__proto__":1}')).not.toBe(hash('{}'))
    expect(hash('{not json')).toBe(sha256('{not json'))
  })

  test('hashes any JSON the same however its keys are ordered', () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, inner]) => [key, reversed(inner)]),
            )
          : value
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(extract(json(reversed(value)), { method: 'full_page' })).toEqual(
          extract(json(value), { method: 'full_page' }),
        )
      }),
      { examples: [[[{ '': { '\\': '' }, ' ': null }]]] },
    )
  })
})

describe('extract', () => {
  test.each(['', ' \n\t ', '\ufeff', '\ufeff\r\n'])('fails with empty_body on %j, whatever the method', (body) => {
    expect(faultCode(extract(html(body), css('p')))).toBe('empty_body')
    expect(faultCode(extract(html(body), { method: 'full_page' }))).toBe('empty_body')
    expect(faultCode(extract(json(''), { method: 'json_path', fields: { a: '$' } }))).toBe('none')
    expect(faultCode(extract(page(body, 'application/json'), { method: 'json_path', fields: { a: '$' } }))).toBe(
      'empty_body',
    )
  })

  test('hands over the text for a prompt, and asks nobody', () => {
    expect(extract(html('<p>one <b>two</b>'), { method: 'prompt', prompt: 'What is the price?' })).toEqual({
      ok: true,
      values: {},
      text: 'one two',
      warnings: [],
    })
  })

  test('fails with wrong_type on an image, and where an answer in JSON stands in for the page', () => {
    expect(faultCode(extract(page('\x89PNG', 'image/png'), css('p')))).toBe('wrong_type')
    const down = page('{"error":"maintenance"}', 'application/json')
    expect(faultCode(extract(down, css('p')))).toBe('wrong_type')
    expect(faultCode(extract(down, { method: 'xpath', fields: { it: '//p' } }))).toBe('wrong_type')
  })

  test('fails with bad_rule on a rule that no save would have let through', () => {
    expect(faultCode(extract(html('x'), css('p:nonsense')))).toBe('bad_rule')
    expect(faultCode(extract(html('x'), { method: 'xpath', fields: { it: '//[' } }))).toBe('bad_rule')
    expect(faultCode(extract(html('x'), { method: 'regex', fields: { it: '(' } }))).toBe('bad_rule')
  })

  test('fails with internal on an error of ours, and gives where it was thrown without what the page says', () => {
    // No caller does this: it stands for an error that is in no rule and in no page.
    const broken = {
      split() {
        throw new TypeError('Cannot add property price-of-the-page, object is not extensible')
      },
    } as unknown as string
    const rules = [
      css('p'),
      { method: 'prompt', prompt: 'the price' },
      { method: 'regex', fields: { it: 'x' } },
    ] as const
    for (const config of rules) {
      const read = extract(page('<p>x', broken), config)
      expect(read).toMatchObject({ ok: false, fault: { code: 'internal' } })
      const told = JSON.stringify(read)
      expect(told).toMatch(/"TypeError\\n {4}at .*split/)
      expect(told).not.toContain('price-of-the-page')
      expect(told).not.toMatch(/change the rule/i)
    }
  })

  test('reads a page with a second body, whose attributes count where the first has none of the name', () => {
    const twice = html('<html lang=en><body class=a><p>x</p></body><html><body><body class=b id=c><p>y</p>')
    expect(one(twice, 'css', 'body.a#c > p:nth-of-type(2)')).toBe('y')
    expect(one(twice, 'xpath', 'concat(//html/@lang, " ", //body/@class)')).toBe('en a')
  })

  test('gives every field, found or not, in the order of the config, under any name', () => {
    const extraction = extract(html('<p>x'), { method: 'css', fields: { b: 'p', a: 'h1', constructor: 'p' } })
    expect(Object.entries(values(extraction))).toEqual([
      ['b', 'x'],
      ['a', null],
      ['constructor', 'x'],
    ])
  })

  test('finds nothing but text in feeds and pages alike', () => {
    expect(
      values(
        extract(xml('<rss><item><title>t</title></item></rss>'), {
          method: 'xpath',
          fields: { a: '//title', b: 'count(//item)' },
        }),
      ),
    ).toEqual({ a: 't', b: 1 })
  })
})
