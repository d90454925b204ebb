import { afterAll, describe, expect, test } from 'vitest'
import type { Page } from '../../../../runners/extract/page.ts'
import { createExtractor, type Extractor } from '../../../../runners/extract/pool/extractor.ts'
import { searchPageReader } from '../../../../runners/serp/search-page-reader.ts'
import type { ExtractConfig } from '../../../../schema/monitor/extract-config.ts'
import { css, faultCode, html, json, page, values } from '../pages.ts'

const extractor = createExtractor({ threads: 1, heapMb: 96 })
afterAll(() => extractor.close())
/** A busy machine may need longer than the second that a rule has, for what is no harm. */
const pool: Pick<Extractor, 'extract'> = {
  extract: (given, config, call) => extractor.extract(given, config, { timeoutMs: 20_000, ...call }),
}

const HANGING = '^(a+)+$'
const VICTIM = html(`${'a'.repeat(40)}!`)
const GOOD = html('<p>good</p>')

function regex(rule: string): ExtractConfig {
  return { method: 'regex', fields: { it: rule } }
}

function xpath(rule: string): ExtractConfig {
  return { method: 'xpath', fields: { it: rule } }
}

const HOSTILE: readonly (readonly [what: string, page: Page, config: ExtractConfig, fault: string])[] = [
  ['100,000 nested elements', html(`${'<div>'.repeat(100_000)}x`), css('p'), 'too_complex'],
  [
    '50,000 attributes',
    html(`<p ${Array.from({ length: 50_000 }, (_, i) => `a${i}=1`).join(' ')}>`),
    css('p'),
    'too_complex',
  ],
  [
    'a flat page of 5 MB',
    html('<p>x</p>'.repeat(625_000)),
    css('p'),
    'too_complex or extract_timeout or extract_memory',
  ],
  [
    'JSON nested 100,000 deep',
    page('['.repeat(100_000), 'application/json'),
    { method: 'json_path', fields: { it: '$..a' } },
    'too_complex',
  ],
  ['a pattern that backtracks without end', VICTIM, regex(HANGING), 'extract_timeout'],
  ['an everyday pattern on 200,000 spaces', html(`${' '.repeat(200_000)}x`), regex('\\s+$'), 'extract_timeout'],
  [
    'match() with such a pattern',
    json({ a: `${'a'.repeat(40)}!` }),
    { method: 'json_path', fields: { it: '$[?match(@, "(a+)+")]' } },
    'extract_timeout',
  ],
  [
    'an XPath of cubic cost',
    html('<b>x</b>'.repeat(4_000)),
    xpath('count(//*[count(//*[count(//*) > 0]) > 0])'),
    'extract_timeout',
  ],
  [
    'formatting elements that multiply in the parser',
    html(Array.from({ length: 3_000 }, (_, i) => `<p><b a=${i}></p>`).join('')),
    // Of which the page has none, so that it is read to its end.
    css('em'),
    'too_complex or extract_timeout or extract_memory',
  ],
]

describe('the extraction pool', () => {
  test.each(HOSTILE)(
    'ends %s with its fault within its limit, and answers a good page behind it',
    async (_what, hostile, config, fault) => {
      expect(await pool.extract(GOOD, css('p'))).toMatchObject({ ok: true })
      const started = performance.now()
      const [bad, good] = await Promise.all([
        // What is refused before it is read takes no time of its own, but a busy machine does.
        pool.extract(hostile, config, fault === 'too_complex' ? {} : { timeoutMs: 400 }),
        pool.extract(GOOD, css('p')),
      ])
      expect(fault.split(' or ')).toContain(faultCode(bad))
      expect(performance.now() - started).toBeLessThan(5_000)
      expect(values(good)).toEqual({ it: 'good' })
    },
  )

  test('answers the XPath that asked a library for gigabytes', async () => {
    const tree = html(`${'<div>'.repeat(100)}${'<b>x</b>'.repeat(1_900)}`)
    expect(values(await pool.extract(tree, xpath('count(//*/ancestor::*//*)')))).toEqual({ it: 2_002 })
  })

  test('ends what outgrows the heap with extract_memory, and goes on', async () => {
    const nested = page(`${'['.repeat(150)}${']'.repeat(150)}`, 'application/json')
    const [bad, good] = await Promise.all([
      pool.extract(nested, { method: 'json_path', fields: { it: '$..*..*..*..*' } }, { timeoutMs: 10_000 }),
      pool.extract(GOOD, css('p')),
    ])
    expect(faultCode(bad)).toBe('extract_memory')
    expect(values(good)).toEqual({ it: 'good' })
  })

  test('blames one of many calls that came together, and answers the others', async () => {
    const calls = Array.from({ length: 12 }, (_, i) =>
      i === 5 ? pool.extract(VICTIM, regex(HANGING), { timeoutMs: 200 }) : pool.extract(html(`<p>${i}`), css('p')),
    )
    const codes = (await Promise.all(calls)).map(faultCode)
    expect(codes).toEqual(Array.from({ length: 12 }, (_, i) => (i === 5 ? 'extract_timeout' : 'none')))
  })

  test('gives the answers of extract itself', async () => {
    const extraction = await pool.extract(html('<p>x<b>y'), { method: 'css', fields: { a: 'p', b: 'b', c: 'i' } })
    expect(extraction).toEqual({ ok: true, values: { a: 'xy', b: 'y', c: null }, warnings: [] })
    expect(await pool.extract(html('x'), { method: 'prompt', prompt: 'What is the price?' })).toHaveProperty(
      'text',
      'x',
    )
    expect(values(await pool.extract(GOOD, { method: 'full_page' }))).toHaveProperty('content_hash')
  })

  test('tells where an error of ours was thrown, in which run, and answers the pages beside it', async () => {
    const told: unknown[] = []
    const telling = createExtractor({ threads: 1, onInternalError: (...args) => told.push(args) })
    // No caller does this: it stands for an error that is in no rule and in no page.
    const broken = page('<p>x', 5 as never)
    const sent = {
      engine: 'no engine' as never,
      device: 'desktop',
      url: 'https://www.google.com/',
      status: 200,
    } as const
    const [bad, search, good] = await Promise.all([
      telling.extract(broken, css('p'), { timeoutMs: 20_000, runId: 'a run' }),
      telling.read(searchPageReader(sent), GOOD, { timeoutMs: 20_000, runId: 'a search' }),
      telling.extract(GOOD, css('p'), { timeoutMs: 20_000, runId: 'good' }),
    ])
    await telling.close()
    expect([faultCode(bad), search.ok ? 'none' : search.fault.code, faultCode(good)]).toEqual([
      'internal',
      'internal',
      'none',
    ])
    const where = expect.stringMatching(/^TypeError\n {4}at .*\.ts:\d+/)
    expect(told).toEqual([
      [where, 'a run'],
      [where, 'a search'],
    ])
  })

  test('takes pages of any size, in Buffers that share memory as well', async () => {
    const shared = Buffer.from('xx<p>in the pool of Node</p>').subarray(2)
    expect(values(await pool.extract(html(shared), css('p')))).toEqual({ it: 'in the pool of Node' })
    const both = Buffer.from(`<p>1</p>${' '.repeat(300_000)}<p>2</p>${' '.repeat(300_000)}`)
    const halves = [both.subarray(0, 300_008), both.subarray(300_008)].map((half) => pool.extract(html(half), css('p')))
    expect((await Promise.all(halves)).map(values)).toEqual([{ it: '1' }, { it: '2' }])
    const large = new Uint8Array(Buffer.from(`<p>large</p>${'<!-- -->'.repeat(100_000)}`))
    expect(values(await pool.extract(html(large), css('p')))).toEqual({ it: 'large' })
  })

  test('answers with the hash when a large page is killed in the thread for slow pages', async () => {
    const slow = html('<p>x</p>'.repeat(1_000))
    const quadratic = xpath('count(//p[count(//p[count(//p) > 0]) > 0])')
    // It makes its monitor slow, whose bodies are moved to their thread from then on.
    expect(faultCode(await pool.extract(slow, quadratic, { key: 7, timeoutMs: 400 }))).toBe('extract_timeout')
    const large = new Uint8Array(Buffer.from('<p>x <b>y</b></p>'.repeat(60_000)))
    const given = html(large)
    const read = await pool.extract(given, { method: 'full_page' }, { key: 7, unlessShell: true, timeoutMs: 1 })
    expect(values(read)).toHaveProperty('content_hash')
    expect(large.byteLength).toBe(0)
  })

  test('lets a caller leave: waiting or running, it hears at once', async () => {
    const control = new AbortController()
    const running = pool.extract(VICTIM, regex(HANGING), { timeoutMs: 300, signal: control.signal })
    const waiting = pool.extract(GOOD, css('p'), { signal: control.signal })
    control.abort()
    expect((await Promise.all([running, waiting])).map(faultCode)).toEqual(['timeout', 'timeout'])
    expect(faultCode(await pool.extract(GOOD, css('p'), { signal: control.signal }))).toBe('timeout')
    expect(values(await pool.extract(GOOD, css('p')))).toEqual({ it: 'good' })
  })

  test('does not run what nobody waits for any more', async () => {
    const first = pool.extract(VICTIM, regex(HANGING), { timeoutMs: 200 })
    await new Promise((resolve) => setImmediate(resolve))
    const control = new AbortController()
    const left = pool.extract(VICTIM, regex(HANGING), { timeoutMs: 5_000, signal: control.signal })
    control.abort()
    const started = performance.now()
    expect(values(await pool.extract(GOOD, css('p')))).toEqual({ it: 'good' })
    expect(performance.now() - started).toBeLessThan(4_000)
    expect((await Promise.all([first, left])).map(faultCode)).toEqual(['extract_timeout', 'timeout'])
  })

  test('closes with nothing left open, refuses calls from then on, and lets what runs end', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker').length
    const other = createExtractor({ threads: 2 })
    const running = other.extract(GOOD, css('p'))
    await Promise.resolve()
    const closed = other.close()
    expect(faultCode(await other.extract(GOOD, css('p')))).toBe('internal')
    expect(values(await running)).toEqual({ it: 'good' })
    await closed
    expect(
      process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker').length,
    ).toBeLessThanOrEqual(before)
  })

  test('costs nothing until it is used', async () => {
    const unused = createExtractor()
    await unused.close()
  })
})
