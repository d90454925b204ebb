import { afterAll, describe, expect, test } from 'vitest'
import { MAX_PIXELS, refusePng } from '../../runners/browser/page/picture-limits.ts'
import { EXTRACT_LIMITS } from '../../runners/extract/limits.ts'
import type { Extraction, Page } from '../../runners/extract/page.ts'
import { createExtractor } from '../../runners/extract/pool/extractor.ts'
import { checkRules } from '../../runners/extract/rules.ts'
import { FETCH_LIMITS } from '../../runners/fetch/fetch-limits.ts'
import { searchPageReader } from '../../runners/serp/search-page-reader.ts'
import { createTextDiffer } from '../../runners/text-diff/text-differ.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { SERP_ENGINES } from '../../schema/serp/serp-search.ts'
import { createComparer } from '../../worker/pictures/comparer.ts'
import { dearness, MAX_TIMES, UNMEASURED_MS } from '../support/run/dearness.ts'
import { parsingMs } from '../support/run/parsing-ms.ts'

/*
 * What is read of a page, is read in threads, which end by their own limits. The main thread of a worker has the checks
 * of all teams, so what a page costs there is compared with `JSON.parse` of a page of the same size.
 */

/** Milliseconds after which a thread is ended here: what it would find later costs this thread the same. */
const TRIED_MS = 400
const SIZE = FETCH_LIMITS.maxBodyBytes
/** A page is hashed here and handed to a thread: that costs a few times what reading it costs. */
const HANDED_TIMES = 10
const parsing = parsingMs(JSON.stringify('x'.repeat(SIZE - 2)))

const extractor = createExtractor({ threads: 1 })
const differ = createTextDiffer({ timeoutMs: TRIED_MS })
const comparer = createComparer({ timeoutMs: TRIED_MS })
afterAll(async () => {
  await extractor.close()
  await differ.close()
  await comparer.close()
})

/** A page as it was fetched: in a buffer of its own, which may be moved to a thread. */
const pageOf = (unit: string, contentType: string, [open, close] = ['', '']): Page => ({
  body: new Uint8Array(Buffer.from(open + unit.repeat(Math.floor((SIZE - 100) / Buffer.byteLength(unit))) + close)),
  contentType,
  url: 'https://page.example/',
})
const HTML = 'text/html; charset=utf-8'

/** As many rules as a monitor may have, of as many characters as a rule may have. */
const rules = (method: 'css' | 'xpath' | 'json_path' | 'regex', rule: string): ExtractConfig => ({
  method,
  fields: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, rule])),
})
const ignoring: ExtractConfig = {
  method: 'full_page',
  ignore: {
    selectors: Array.from({ length: 20 }, () => `${'a '.repeat(400)}a`),
    patterns: Array.from({ length: 20 }, () => '(a+)+$'),
  },
}
const ask: ExtractConfig = { method: 'prompt', prompt: 'p'.repeat(2_000) }

type Dear = readonly [name: string, config: ExtractConfig, page: () => Page]
/** For each method the dearest rules and pages. A new method has no row until somebody thought about its cost. */
const WORST: Readonly<Record<ExtractConfig['method'], readonly Dear[]>> = {
  css: [
    ['many texts', rules('css', `${'p, '.repeat(49)}p[]`), () => pageOf('<p>x', HTML)],
    ['long selectors on many tags', rules('css', `${'a '.repeat(490)}a[]`), () => pageOf('<a>'.repeat(40), HTML)],
    ['one text', rules('css', 'p'), () => pageOf('x', HTML, ['<p>', '</p>'])],
  ],
  xpath: [
    ['steps to everywhere', rules('xpath', `${'//*'.repeat(40)}[]`), () => pageOf('<p>x</p>', HTML)],
    ['one text', rules('xpath', 'string(/)'), () => pageOf('&amp;', HTML)],
  ],
  json_path: [
    [
      'steps to everywhere',
      rules('json_path', `$${'..*'.repeat(330)}`),
      () => pageOf('[1],', 'application/json', ['[', '1]']),
    ],
    ['one text', rules('json_path', '$'), () => pageOf('x', 'application/json', ['"', '"'])],
  ],
  regex: [
    ['backtracking', rules('regex', '^(a+)+$'), () => pageOf('a', 'text/plain', ['', '!'])],
    ['one text', rules('regex', '[^]*'), () => pageOf('\u6c34', 'text/plain; charset=utf-8')],
  ],
  full_page: [
    ['one text', { method: 'full_page' }, () => pageOf('x ', HTML)],
    ['many lines', { method: 'full_page' }, () => pageOf('x\n', 'text/plain')],
    ['JSON', { method: 'full_page' }, () => pageOf('{"b":1,"a":2},', 'application/json', ['[', '1]'])],
    ['no text', { method: 'full_page' }, () => pageOf('\u0001\u0002', 'application/octet-stream')],
    ['what is ignored', ignoring, () => pageOf(`<p>${'a'.repeat(40)}!</p>`, HTML)],
  ],
  prompt: [['many lines', ask, () => pageOf('<p>x</p>', HTML)]],
}
const CASES = Object.entries(WORST).flatMap(([method, cases]) =>
  cases.map(([name, config, page]) => [`${method}, ${name}`, config, page] as const),
)

/** Bytes that begin as a picture of the most pixels, and are as many as the largest has. */
function hugePng(): Buffer {
  const png = Buffer.alloc(15 * 1024 * 1024, '89504e470d0a1a0a0000000d49484452', 'hex')
  png.writeUInt32BE(8_000, 16)
  png.writeUInt32BE(MAX_PIXELS / 8_000, 20)
  return png
}

/** Waits for the work, and returns it with the milliseconds that this thread took. */
async function measured<T>(work: () => Promise<T>): Promise<{ readonly done: T; readonly ms: number }> {
  const before = process.threadCpuUsage()
  const done = await work()
  const { user, system } = process.threadCpuUsage(before)
  return { done, ms: (user + system) / 1_000 }
}

/** What a run keeps of a page, which goes on to the main thread. */
const bytesOf = (extraction: Extraction) => Buffer.byteLength(JSON.stringify(extraction))
const MAX_BYTES = EXTRACT_LIMITS.resultBytes + EXTRACT_LIMITS.pageTextBytes + 6 * EXTRACT_LIMITS.promptCharacters

/** Returns why this thread was too dear for what it did; null where one of three times was cheap. */
async function dearnessOf(work: () => Promise<unknown>, most = UNMEASURED_MS + HANDED_TIMES * parsing) {
  const times: number[] = []
  while (times.length < 3) {
    const { ms } = await measured(work)
    times.push(ms)
    if (ms <= most) return null
  }
  return `it costs ${times.join(', ')} ms, and may cost ${most} ms`
}

describe('the largest page that is read, by the dearest rules', () => {
  test.each(CASES)('%s: costs the main thread a multiple of its bytes', async (_name, config, page) => {
    expect(checkRules(config)).toEqual([])
    const pages = [page(), page(), page()]
    const read = async () => {
      const done = await extractor.extract(pages.pop() ?? page(), config, { timeoutMs: TRIED_MS })
      // What a run keeps is all that goes on to the main thread.
      expect(bytesOf(done)).toBeLessThanOrEqual(MAX_BYTES)
    }
    expect(await dearnessOf(read)).toBeNull()
  })

  test.each(SERP_ENGINES)('a page of %s with results only: likewise', async (engine) => {
    const sent = { engine, device: 'desktop', url: 'https://www.example.com/search?q=x', status: 200 } as const
    const unit = '<li class="b_algo g"><h2><a href="https://a.example/"><h3>x</h3></a></h2><p>y</p></li>'
    const page = pageOf(unit, HTML)
    const read = () =>
      extractor.read(searchPageReader(sent), { ...page, body: page.body.slice() }, { timeoutMs: TRIED_MS })
    expect(await dearnessOf(read)).toBeNull()
  })

  test('ten at once cost ten times as much, each ends, and a quick page behind them is read', async () => {
    const config = rules('regex', '^(a+)+$')
    const evil = { body: new Uint8Array(Buffer.from(`${'a'.repeat(40)}!`)), contentType: 'text/plain', url: '' }
    const read = async () => {
      const slow = Array.from({ length: 10 }, (_, key) =>
        extractor.extract(evil, config, { key, timeoutMs: TRIED_MS / 2 }),
      )
      const quick = extractor.extract(
        { ...evil, body: new Uint8Array(Buffer.from('<p>good</p>')), contentType: HTML },
        rules('css', 'p'),
      )
      expect(await quick).toMatchObject({ ok: true, values: { f0: 'good' } })
      for (const ended of await Promise.all(slow))
        expect(ended).toMatchObject({ ok: false, fault: { code: 'extract_timeout' } })
    }
    expect(await dearnessOf(read, 10 * UNMEASURED_MS)).toBeNull()
  })
})

describe('the dearest rules', () => {
  test.each(CASES)('%s: are judged in a multiple of reading them', (_name, config) => {
    // Selectors are compiled, which costs ten times as much a byte as what only looks at them.
    expect(dearness(() => checkRules(config), JSON.stringify(config), 10 * MAX_TIMES)).toBeNull()
  })
})

describe('what is compared in a thread', () => {
  test.each([
    ['lines', 'a\n', 'b\n'],
    ['words', 'ab ', 'ba '],
    ['long lines', `${'x'.repeat(999)}\n`, `${'x'.repeat(998)}y\n`],
  ])('two texts of a page as long as are kept, of %s: cost the main thread next to nothing', async (_what, was, is) => {
    const of = (unit: string) => unit.repeat(Math.floor(EXTRACT_LIMITS.pageTextBytes / unit.length))
    const pair = { before: of(was), after: of(is) }
    expect(await dearnessOf(() => differ.diff(pair, { key: 'team' }), UNMEASURED_MS)).toBeNull()
    expect(await dearnessOf(() => differ.excerpt(pair, { key: 'team' }), UNMEASURED_MS)).toBeNull()
  })

  test('two pictures as large as may be: cost the main thread no more than handing them over', async () => {
    const pair = { before: hugePng(), after: hugePng(), thumb: true }
    expect(refusePng(pair.after)).toBeNull()
    expect(await dearnessOf(() => comparer.compare(pair))).toBeNull()
  })
})
