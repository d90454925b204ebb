import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { cutMark, isCutList } from '../../../../core/diff/cut-mark.ts'
import { fieldsToRender } from '../../../../runners/check/missing-match.ts'
import { readingOf } from '../../../../runners/check/reading-of.ts'
import type { PageTask } from '../../../../runners/check/task.ts'
import { extract } from '../../../../runners/extract/extract.ts'
import { createExtractor } from '../../../../runners/extract/pool/extractor.ts'
import { checkRules } from '../../../../runners/extract/rules.ts'
import type { ExtractConfig } from '../../../../schema/monitor/extract-config.ts'
import type { Treatment } from '../../../../schema/monitor/treatment.ts'
import type { Json } from '../../../../schema/shape/json.ts'
import { faultCode, html, json, page, values } from '../pages.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** What a value is after treatments. */
function treated(value: Json, ...treatments: Treatment[]): unknown {
  const config: ExtractConfig = { method: 'json_path', fields: { it: '$.it' }, clean: { it: treatments } }
  return values(extract(json({ it: value }), config))['it']
}

describe('a treatment', () => {
  const JOBS = ['Pilot', 'Ad: Cook', 'Baker', 'Pilot']
  test.each<[string, Treatment, readonly string[]]>([
    ['keep_lines keeps what a pattern matches', { do: 'keep_lines', pattern: '^[AB]' }, ['Ad: Cook', 'Baker']],
    ['drop_lines drops what a pattern matches', { do: 'drop_lines', pattern: '^Ad' }, ['Pilot', 'Baker', 'Pilot']],
    [
      'replace writes a text for each match, with its groups',
      { do: 'replace', pattern: '([aeiou])(.)', text: '$2$1' },
      ['Plito', 'Ad: Cook', 'Bkare', 'Plito'],
    ],
    ['sort orders by letters', { do: 'sort' }, ['Ad: Cook', 'Baker', 'Pilot', 'Pilot']],
    ['unique keeps the first of equal ones', { do: 'unique' }, ['Pilot', 'Ad: Cook', 'Baker']],
    ['first keeps so many', { do: 'first', count: 2 }, ['Pilot', 'Ad: Cook']],
    ['last keeps so many', { do: 'last', count: 1 }, ['Pilot']],
    ['between keeps what two texts enclose', { do: 'between', after: 'i', before: 't' }, ['lo', 'lo']],
  ])('%s: items of a list, and lines of a text', (_, treatment, left) => {
    expect(treated(JOBS, treatment)).toEqual(left)
    const isOfText = treatment.do === 'between'
    expect(treated(JOBS.join('\n'), treatment)).toBe(isOfText ? 'lo' : left.join('\n'))
  })

  test('comes in the order that is written', () => {
    const drop: Treatment = { do: 'drop_lines', pattern: '^Ad' }
    expect(treated(JOBS, { do: 'first', count: 2 }, drop)).toEqual(['Pilot'])
    expect(treated(JOBS, drop, { do: 'unique' }, { do: 'sort' }, { do: 'first', count: 2 })).toEqual(['Baker', 'Pilot'])
  })

  test('sees lines and items with their white space folded, and none that is empty', () => {
    const text = '  One\t two \r\n\n   \n Three'
    expect(treated(text, { do: 'keep_lines', pattern: '^One two$|^Three$' })).toBe('One two\nThree')
    expect(treated([' One \n two ', '', null, 'x'], { do: 'replace', pattern: '^x$', text: '' })).toEqual(['One two'])
  })

  test('of what two texts enclose may go over lines', () => {
    const text = 'Head\nTerms\nFees: 3\nEnd of terms\nFoot'
    const terms: Treatment = { do: 'between', after: 'Terms', before: 'End' }
    expect(treated(text, terms)).toBe('Fees: 3')
    expect(treated(text, { ...terms, before: 'never' })).toBe('')
  })

  test('leaves missing values, objects, and numbers that nothing matches what they are', () => {
    const unique: Treatment = { do: 'unique' }
    const digit: Treatment = { do: 'replace', pattern: '5', text: 'five' }
    expect([null, { a: 1 }, 7, true].map((value) => treated(value, unique, digit))).toEqual([null, { a: 1 }, 7, true])
    expect([treated(5.5, digit), treated([1, { b: 5 }, 5, 1], unique, digit)]).toEqual([
      'five.five',
      [1, { b: 5 }, 'five'],
    ])
  })

  test('makes links absolute as a browser does, by the base of the page', () => {
    const links = (head: string) => {
      const from = html(`<head>${head}</head><a href="/a">A</a><a href="b?c#d">B</a><a href="mailto:x@y.example">M</a>`)
      const clean: ExtractConfig['clean'] = { it: [{ do: 'absolute_links' }] }
      return values(extract(from, { method: 'css', fields: { it: 'a::attr(href)[]' }, clean }))['it']
    }
    const own = ['http://page.example/a', 'http://page.example/b?c#d', 'mailto:x@y.example']
    expect(links('')).toEqual(own)
    expect(links('<base target=_top><base href="/jobs/">')).toEqual(own.with(1, 'http://page.example/jobs/b?c#d'))
    expect(treated('Two words\nhttp://[\n/a', { do: 'absolute_links' })).toBe(
      'Two words\nhttp://[\nhttp://page.example/a',
    )
  })

  test.each(['css', 'xpath'] as const)('of %s sees all items of a list that is longer than a run keeps', (method) => {
    const read = (count: number, ...treatments: Treatment[]) => {
      const many = Array.from({ length: count }, (_, nth) => `<li>${nth}</li>`).join('')
      const fields = { it: method === 'css' ? 'li[]' : '//li[]' }
      return values(extract(html(many), { method, fields, clean: { it: treatments } }))['it'] as readonly Json[]
    }
    expect(read(1_500, { do: 'last', count: 2 })).toEqual(['1498', '1499'])
    expect(read(1_500, { do: 'drop_lines', pattern: '^[1-9]' })).toEqual(['0'])
    const odd: Treatment = { do: 'keep_lines', pattern: '[13579]$' }
    const list = read(2_401, odd)
    expect([list.length, list[998], isCutList(list)]).toEqual([1_000, '1997', true])
    // The mark is that of the items that are left.
    expect(read(2_400, odd)).toEqual(list)
    expect(read(2_402, odd)).not.toEqual(list)
  })

  test('keeps the mark of a list that was cut before, as its last item', () => {
    const cut = ['b', 'a', cutMark('0'.repeat(32))]
    expect(treated(cut, { do: 'sort' }, { do: 'first', count: 1 })).toEqual(['a', cut[2]])
  })

  test('that makes too much text fails the run, and the message names it', () => {
    const grow: Treatment = { do: 'replace', pattern: '', text: 'x'.repeat(1_000) }
    const read = (it: Json, ...treatments: Treatment[]) =>
      extract(json({ it }), { method: 'json_path', fields: { it: '$.it' }, clean: { it: treatments } })
    const fault = { code: 'too_complex', message: expect.stringContaining('extract_config.clean') as string }
    expect(read('x'.repeat(20_000), grow)).toMatchObject({ ok: false, fault })
    expect(read(Array<string>(30).fill('x'.repeat(1_000)), grow)).toMatchObject({ ok: false, fault })
    // More than the engine holds in one text.
    expect(read('x'.repeat(600_000), grow)).toMatchObject({ ok: false, fault })
    expect(read('x'.repeat(1_000), grow)).toMatchObject({ ok: true })
  })

  test('sees a text before it is cut to what a run keeps', () => {
    const long = `${'filler\n'.repeat(20_000)}needle`
    expect(treated(long, { do: 'keep_lines', pattern: 'needle' })).toBe('needle')
  })
})

describe('fields that are treated', () => {
  test('are those that are named, by every method', () => {
    const from = html('<b>2</b><b>1</b><b>2</b>')
    const clean: ExtractConfig['clean'] = { it: [{ do: 'unique' }, { do: 'sort' }] }
    const both = { it: 'b[]', raw: 'b[]' }
    expect(values(extract(from, { method: 'css', fields: both, clean }))).toEqual({
      it: ['1', '2'],
      raw: ['2', '1', '2'],
    })
    expect(values(extract(from, { method: 'xpath', fields: { it: '//b[]' }, clean }))).toEqual({ it: ['1', '2'] })
    const replace: ExtractConfig['clean'] = { it: [{ do: 'replace', pattern: '3', text: 'three' }] }
    expect(values(extract(from, { method: 'regex', fields: { it: '<b>' }, clean: replace }))).toEqual({ it: 'three' })
  })

  test('give an empty value and a warning where nothing is left, and no warning where nothing was there', () => {
    const clean: ExtractConfig['clean'] = {
      text: [{ do: 'keep_lines', pattern: 'x' }],
      list: [{ do: 'drop_lines', pattern: '' }],
    }
    const fields = { text: 'p', list: 'li[]' }
    const read = extract(html('<p>a</p><li>b</li>'), { method: 'css', fields, clean })
    expect(read).toMatchObject({ ok: true, values: { text: '', list: [] } })
    expect(read.ok && read.warnings).toEqual([
      'Nothing is left of the field "text" by its treatments in extract_config.clean.',
      'Nothing is left of the field "list" by its treatments in extract_config.clean.',
    ])
    expect(read).toMatchObject({ emptied: ['text', 'list'] })
    const empty = extract(html('<p></p>'), { method: 'css', fields, clean })
    expect(empty).toMatchObject({ ok: true, values: { text: '', list: [] }, warnings: [] })
    expect(empty).not.toHaveProperty('emptied')
  })

  test('that are left empty are no reason to look for scripts, which fields without a match are', () => {
    const outages: ExtractConfig = {
      method: 'css',
      fields: { outages: '.row[]' },
      clean: { outages: [{ do: 'keep_lines', pattern: 'outage' }] },
    }
    const fieldsOf = (body: string) => {
      const read = extract(html(`<script>1</script>${body}`), outages)
      if (!read.ok) throw new Error(read.fault.message)
      const about = { fetchMethod: 'static', mark: { etag: null, lastModified: null, bodyHash: null } } as const
      const reading = readingOf(read, { ...about, ...(read.scripts && { scripts: read.scripts }) }, [])
      return fieldsToRender(reading, { extract: outages } as PageTask)
    }
    expect(fieldsOf('<p class=row>All is well</p>')).toEqual([])
    expect(fieldsOf('')).toEqual(['outages'])
  })

  test('of a whole page are the lines of its readable text, after what is ignored', () => {
    const from = page('<p>b</p><p>a</p><p class=ad>ad</p><p>a</p>', 'text/html')
    const read = (config: object) => extract(from, { method: 'full_page', ...config })
    const clean = { content_hash: [{ do: 'sort' }, { do: 'unique' }] }
    expect(read({ clean })).toMatchObject({ values: { content_hash: sha256('a\nad\nb') }, pageText: 'a\nad\nb' })
    expect(read({ clean, ignore: { selectors: ['.ad'] } })).toMatchObject({ pageText: 'a\nb' })
    expect(read({ clean: {} })).toEqual(read({}))
    expect(read({ clean: { content_hash: [{ do: 'keep_lines', pattern: 'x' }] } })).toMatchObject({
      values: { content_hash: '' },
      pageText: '',
      emptied: ['content_hash'],
      warnings: [expect.stringContaining('Nothing is left of the field "content_hash"')],
    })
  })

  test('are refused where a pattern cannot run, with its path', () => {
    const clean: ExtractConfig['clean'] = {
      it: [{ do: 'sort' }, { do: 'drop_lines', pattern: '(' }],
      'the other': [{ do: 'replace', pattern: '[', text: '' }],
    }
    expect(checkRules({ method: 'css', fields: { it: 'b' }, clean }).map(({ path }) => path)).toEqual([
      'clean.it[1].pattern',
      'clean["the other"][0].pattern',
    ])
  })
})

describe('in the threads', () => {
  const pool = createExtractor({ threads: 1, heapMb: 64 })
  afterAll(() => pool.close())
  const read = (body: string, treatment: Treatment, timeoutMs = 300) =>
    pool.extract(html(body), { method: 'css', fields: { it: 'p' }, clean: { it: [treatment] } }, { timeoutMs })

  test('a pattern that never ends is stopped, and the next page is read', async () => {
    const endless = `<p>${'a'.repeat(40)}!`
    expect(faultCode(await read(endless, { do: 'drop_lines', pattern: '^(a+)+$' }))).toBe('extract_timeout')
    expect(faultCode(await read(endless, { do: 'replace', pattern: '^(a+)+$', text: '' }))).toBe('extract_timeout')
    expect(values(await read('<p>b', { do: 'replace', pattern: 'b', text: 'c' }, 5_000))).toEqual({ it: 'c' })
  })

  test('a text that grows with each match is stopped', async () => {
    const grown = await read(
      `<p>${'a'.repeat(1_000_000)}`,
      { do: 'replace', pattern: '', text: '$`'.repeat(500) },
      5_000,
    )
    expect(['extract_timeout', 'extract_memory', 'too_complex']).toContain(faultCode(grown))
    expect(values(await read('<p>b', { do: 'sort' }, 5_000))).toEqual({ it: 'b' })
  })

  test('a whole page is treated in a thread too', async () => {
    const clean: ExtractConfig['clean'] = { content_hash: [{ do: 'first', count: 1 }] }
    const read = await pool.extract(
      page('one\ntwo', 'text/plain'),
      { method: 'full_page', clean },
      { timeoutMs: 5_000 },
    )
    expect(values(read)).toEqual({ content_hash: sha256('one') })
  })
})
