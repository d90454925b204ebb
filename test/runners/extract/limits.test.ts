import { describe, expect, test } from 'vitest'
import { changedBehindCut } from '../../../core/diff/behind-cut.ts'
import { equalValues } from '../../../core/diff/diff-values.ts'
import { extract } from '../../../runners/extract/extract.ts'
import { parseHtml } from '../../../runners/extract/html/html.ts'
import { prescanJson } from '../../../runners/extract/json/prescan-json.ts'
import { EXTRACT_LIMITS } from '../../../runners/extract/limits.ts'
import { boundValues } from '../../../runners/extract/text/truncate.ts'
import { prescanXml } from '../../../runners/extract/xml/prescan-xml.ts'
import type { Json } from '../../../schema/shape/json.ts'
import { css, faultCode, html, page } from './pages.ts'

function attributes(count: number): string {
  return Array.from({ length: count }, (_, i) => `a${i}=">"`).join(' ')
}

const WITHIN: readonly (readonly [what: string, body: string])[] = [
  ['512 open elements', '<div>'.repeat(512)],
  ['1,000 attributes', `<p ${attributes(1_000)}>`],
  ['200,000 tags', '<i></i>'.repeat(200_000)],
  ['void elements', '<br><img src=x>'.repeat(2_000)],
  ['paragraphs that are never closed', '<p>x'.repeat(2_000)],
  ['list items that are never closed', `<ul>${'<li><p>x'.repeat(2_000)}`],
  ['lists in lists, closed by their parents', `${'<ul><li>x'.repeat(200)}${'</ul>'.repeat(200)}`.repeat(3)],
  ['rows and cells that are never closed', `<table>${'<tr><td><p>x<th>y'.repeat(2_000)}`],
  [
    'definitions and options that are never closed',
    `<dl>${'<dt>x<dd>y'.repeat(900)}</dl><select>${'<option>x'.repeat(900)}</select>`,
  ],
  ['links that are never closed', '<a href=x>x'.repeat(1_500)],
  ['tags in a script', `<script>${'"<div>"'.repeat(2_000)}</script>`],
  ['tags in a comment', `<!-- ${'<div>'.repeat(2_000)} -->`],
  ['tags in an attribute', `<p title="${'<div>'.repeat(2_000)}">`],
  ['closed SVG shapes', `<svg>${'<path d=""/>'.repeat(2_000)}</svg>`],
  ['end tags of nothing', '</div>'.repeat(2_000)],
]

describe('pages over the limits', () => {
  test.each(WITHIN)('lets %s through', (_what, body) => {
    expect(parseHtml(body).kind).toBe('html')
  })

  test.each([
    ['513 open elements', '<div>'.repeat(513), 'more than 512 deep'],
    ['elements closed by a slash that HTML does not know', '<div/>'.repeat(513), 'more than 512 deep'],
    ['1,001 attributes', `<p ${attributes(1_001)}>`, 'more than 1,000 attributes'],
    ['200,001 tags', '<i></i>'.repeat(200_001), 'more than 200,000 elements'],
  ])('refuses %s', (_what, body, reason) => {
    expect(parseHtml(body)).toEqual({ kind: 'too_complex', excess: expect.stringContaining(reason) })
    expect(faultCode(extract(html(body), css('p')))).toBe('too_complex')
  })

  test('counts XML by its own rules: every element can be closed by a slash, none is void', () => {
    expect(prescanXml('<a/>'.repeat(2_000))).toBeNull()
    expect(prescanXml('<br>'.repeat(513))).toContain('deep')
    expect(prescanXml(`<a><![CDATA[${'<b>'.repeat(2_000)}]]></a>`)).toBeNull()
  })

  test('refuses JSON over its depth and number of values, and does not count what is in strings', () => {
    expect(prescanJson('['.repeat(200) + ']'.repeat(200))).toBeNull()
    expect(prescanJson('['.repeat(201) + ']'.repeat(201))).toContain('more than 200 deep')
    expect(prescanJson(JSON.stringify(['['.repeat(300), '\\"[['.repeat(200), ','.repeat(300_000)]))).toBeNull()
    expect(prescanJson(`[${'1,'.repeat(200_000)}1]`)).toContain('more than 200,000 values')
    expect(
      faultCode(extract(page('{"a":'.repeat(201), 'application/json'), { method: 'json_path', fields: { a: '$' } })),
    ).toBe('too_complex')
  })

  test('takes time in proportion to the page, whatever is in it', () => {
    for (const unit of ['<', '<!--', '<a b="', '</x>', '<div></span>', "<p a='", '<script>', '&', '<svg><a/>']) {
      const before = process.threadCpuUsage().user
      prescanXml(unit.repeat(Math.ceil(2e6 / unit.length)))
      expect(process.threadCpuUsage().user - before).toBeLessThan(1_000_000)
    }
  })
})

describe('results over the limits', () => {
  const MARK = /…\[truncated sha256:[0-9a-f]{32}\]$/

  test('keep what fits', () => {
    const kept = {
      a: 'x'.repeat(EXTRACT_LIMITS.itemBytes),
      b: Array.from({ length: 1_000 }, (_, i) => i),
      c: null,
      d: { e: true },
    }
    expect(boundValues(kept)).toEqual({ values: kept, warnings: [] })
  })

  test.each(['', 'x'])('cut a long string at a character, within its bytes, and warn (%j)', (shift) => {
    const { values, warnings } = boundValues({ long: `${shift}${'é'.repeat(40_000)}` })
    const text = JSON.parse(JSON.stringify(values['long'])) as string
    expect(text).toMatch(MARK)
    expect(text.replace(MARK, '')).toMatch(/^x?é+$/)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(EXTRACT_LIMITS.itemBytes)
    expect(warnings).toEqual([expect.stringContaining('long')])
  })

  test('still differ when what differs was cut, and are stable when nothing does', () => {
    const cut = (tail: string): unknown => boundValues({ a: `${'x'.repeat(100_000)}${tail}` }).values['a']
    expect(cut('1')).not.toBe(cut('2'))
    expect(cut('1')).toBe(cut('1'))
    const list = (last: number): unknown =>
      boundValues({ a: [...Array.from({ length: 1_500 }, (_, i) => i), last] }).values['a']
    expect(list(1)).not.toEqual(list(2))
    expect(list(1)).toHaveLength(1_000)
  })

  test.each<[what: string, value: Json, other: Json]>([
    ['a list', Array.from({ length: 300 }, (_, at) => `item ${at} ${'x'.repeat(200)}`), ['less']],
    ['a text', 'x'.repeat(60_000), 'less'],
  ])('%s is the same wherever it was cut, and another one is not', (_what, value, other) => {
    const beside = (bytes: number, watched: Json) =>
      boundValues({ a: ['x'.repeat(60_000), 'x'.repeat(60_000), 'x'.repeat(60_000), 'x'.repeat(bytes)], watched })
        .values
    const [whole, cut, earlier] = [0, 60_000, 62_000].map((bytes) => beside(bytes, value)['watched'])
    expect(whole).toEqual(value)
    expect(JSON.stringify(earlier).length).toBeLessThan(JSON.stringify(cut).length)
    for (const one of [whole, cut, earlier] as Json[]) {
      for (const same of [whole, cut, earlier] as Json[]) expect(equalValues(one, same)).toBe(true)
      expect(equalValues(one, other)).toBe(false)
    }
    const longer = typeof value === 'string' ? `${value}!` : [...(value as Json[]), 'more']
    expect(equalValues(cut ?? null, beside(60_000, longer)['watched'] ?? null)).toBe(false)
  })

  test.each<[what: string, read: (body: string) => ReturnType<typeof extract>]>([
    ['css', (body) => extract(html(body), { method: 'css', fields: { note: 'p', watched: 'li[]' } })],
    ['xpath', (body) => extract(html(body), { method: 'xpath', fields: { note: '//p', watched: '//li[]' } })],
  ])('a list over the limit that %s reads is the same beside any other field', (_what, read) => {
    const beside = (note: number, more = '') => {
      const items = Array.from({ length: 900 }, (_, at) => `<li>item ${at} ${'x'.repeat(400)}</li>`).join('')
      const found = read(`<p>${'n'.repeat(note)}</p><ul>${items}<li>last${more}</li></ul>`)
      if (!found.ok) throw new Error(found.fault.message)
      // The trusted side bounds once more what a runner sent.
      expect(boundValues(found.values).values).toEqual(found.values)
      return found.values['watched'] as Json[]
    }
    const [first, later] = [beside(10), beside(40_000)]
    expect(later.length).toBeLessThan(first.length)
    expect(later.at(-1)).toBe(first.at(-1))
    expect(equalValues(first, later)).toBe(true)
    expect(changedBehindCut(first, later, () => 0)).toBe(false)
    expect(equalValues(first, beside(40_000, '!'))).toBe(false)
    expect(equalValues(first, beside(10, '!'))).toBe(false)
  })

  test('a list with an item that is cut itself is the same wherever the list was cut', () => {
    const list = [...Array.from({ length: 30 }, () => 'x'.repeat(3_000)), 'y'.repeat(70_000), 'z']
    const beside = (bytes: number) =>
      boundValues({ a: ['x', 'x', 'x'].map((one) => one.repeat(bytes)), list }).values['list'] as Json[]
    const [cut, earlier] = [beside(60_000), beside(30_000)]
    expect(earlier.length).toBeGreaterThan(cut.length)
    expect(equalValues(cut, earlier)).toBe(true)
  })

  test('cut long items of a list, and objects as their JSON', () => {
    const { values } = boundValues({ a: ['short', 'x'.repeat(70_000)], b: { c: 'x'.repeat(70_000) } })
    expect(values['a']).toEqual(['short', expect.stringMatching(MARK)])
    expect(values['b']).toMatch(MARK)
  })

  test('never exceed 256 KiB together by more than the markers', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`f${i}`, Array.from({ length: 30 }, () => 'ü'.repeat(2_000))]),
    )
    const { values, warnings } = boundValues(fields)
    expect(Buffer.byteLength(JSON.stringify(values))).toBeLessThan(EXTRACT_LIMITS.resultBytes + 50 * 100)
    expect(warnings.length).toBeGreaterThan(0)
  })
})
