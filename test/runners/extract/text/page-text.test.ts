import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { extract } from '../../../../runners/extract/extract.ts'
import { EXTRACT_LIMITS } from '../../../../runners/extract/limits.ts'
import { createExtractor } from '../../../../runners/extract/pool/extractor.ts'
import { checkRules } from '../../../../runners/extract/rules.ts'
import type { ExtractConfig } from '../../../../schema/monitor/extract-config.ts'
import { faultCode, page, values } from '../pages.ts'

const FULL = { method: 'full_page' } as const
const html = (body: string) => page(body, 'text/html')
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const textOf = (body: string, type = 'text/html', config: ExtractConfig = FULL) => {
  const extraction = extract(page(body, type), config)
  return extraction.ok ? extraction.pageText : extraction.fault.message
}
const without = (ignore: object): ExtractConfig => ({ method: 'full_page', ignore })
const hashOf = (body: string, ignore: object, type = 'text/html') =>
  values(extract(page(body, type), without(ignore)))['content_hash']

describe('the readable text of a whole page', () => {
  test.each([
    ['HTML', '<h1>News</h1><script>var n = 1</script><ul><li>One<li>Two</ul>', 'text/html', '# News\n- One\n- Two'],
    [
      'JSON',
      '{"b":[1,2],"a":{"c":"x"}}',
      'application/json',
      '{\n  "a": {\n    "c": "x"\n  },\n  "b": [\n    1,\n    2\n  ]\n}',
    ],
    ['plain text', 'one  two\r\n\r\nthree', 'text/plain', 'one two\nthree'],
    ['a feed', '<rss><channel><title>T</title></channel></rss>', 'application/rss+xml', 'title: T'],
  ])('of %s has a line for each part', (_, body, type, text) => {
    expect(textOf(body, type)).toBe(text)
  })

  test('is not there for a picture, and the hash is', () => {
    const extraction = extract(page('GIF89a', 'image/gif'), FULL)
    expect(extraction).toEqual({ ok: true, values: { content_hash: sha256('GIF89a') }, warnings: [] })
  })

  test('does not change the hash, which is that of the response', () => {
    expect(values(extract(html('<p>x'), FULL))).toEqual({ content_hash: sha256('<p>x') })
  })

  test('is cut at its limit, and a change behind the cut still shows', () => {
    const long = (end: string) => `<p>${'words '.repeat(60_000)}</p><p>${end}</p>`
    const [one = '', other = ''] = ['a', 'b'].map((end) => textOf(long(end)))
    expect(Buffer.byteLength(one)).toBeLessThanOrEqual(EXTRACT_LIMITS.pageTextBytes)
    expect(one).not.toBe(other)
  })
})

describe('a whole page with an ignore block', () => {
  const PAGE = '<div class="ad">Buy now</div><p>Hello</p><p>Updated 12:31</p><script>1</script>'

  test('has the hash of its readable text, even when the block is empty', () => {
    expect(hashOf(PAGE, {})).toBe(sha256('Buy now\nHello\nUpdated 12:31'))
    expect(hashOf(PAGE.replace('<script>1', '<!-- 2 --><script>2'), {})).toBe(hashOf(PAGE, {}))
  })

  test('is read without the elements and the lines that the block names', () => {
    const ignore = { selectors: ['.ad', '#none'], patterns: ['^Updated \\d'] }
    expect(hashOf(PAGE, ignore)).toBe(sha256('Hello'))
    expect(textOf(PAGE, 'text/html', without(ignore))).toBe('Hello')
    expect(hashOf('{"at": 1, "v": 2}', { patterns: ['"at":'] }, 'application/json')).toBe(
      hashOf('{"v": 2, "at": 9}', { patterns: ['"at":'] }, 'application/json'),
    )
  })

  test('fails when nothing is left to be watched', () => {
    expect(faultCode(extract(html(PAGE), without({ selectors: ['div', 'p'] })))).toBe('empty_body')
    expect(faultCode(extract(page('GIF89a', 'image/gif'), without({})))).toBe('wrong_type')
  })

  test('is refused where a selector or a pattern cannot run, with its path', () => {
    const config = without({ selectors: ['.a', 'a['], patterns: ['('] })
    expect(checkRules(config).map(({ path }) => path)).toEqual(['ignore.selectors[1]', 'ignore.patterns[0]'])
  })
})

describe('in the threads', () => {
  const pool = createExtractor({ threads: 1, heapMb: 64 })
  afterAll(() => pool.close())

  test('a page comes back with its hash and its text', async () => {
    expect(await pool.extract(html('<p>x'), FULL)).toMatchObject({
      ok: true,
      values: { content_hash: sha256('<p>x') },
      pageText: 'x',
    })
  })

  test('a page whose text takes too long or too much still has its hash', async () => {
    const body = '<p>'.repeat(150_000)
    const extraction = await pool.extract(html(body), FULL, { timeoutMs: 1 })
    expect(values(extraction)).toEqual({ content_hash: sha256(body) })
    const deep = '<div>'.repeat(5_000)
    expect(values(await pool.extract(html(deep), FULL))).toEqual({ content_hash: sha256(deep) })
  })

  test('a pattern that never ends is stopped', async () => {
    const endless = without({ patterns: ['^(a+)+$'] })
    expect(faultCode(await pool.extract(html(`<p>${'a'.repeat(40)}!`), endless, { timeoutMs: 300 }))).toBe(
      'extract_timeout',
    )
  })
})
