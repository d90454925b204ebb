import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startWatching } from '../../support/api/watching.ts'
import { shared } from '../../support/run/shared.ts'

const watching = shared(() => startWatching())

const HOOK = { type: 'webhook', url: 'https://receiver.example/hook' }
const any = { diff_predicate: { type: 'any_field_changes' }, deliveries: [HOOK] }

/** The values that a first run reads. */
async function read(answer: unknown, method: string, fields: object) {
  const { baseline } = await watching.watch(answer, { ...any, extract_config: { method, fields } })
  expect(baseline).toMatchObject({ status: 'success', error_message: null, fetch_method: 'static' })
  return baseline.extracted
}

describe.concurrent('extract config, css', () => {
  test('matches the first element', async () => {
    const html = '<p class=a> one </p><p class=a>two</p><div><p id=b>three</p></div>'
    const fields = { first: 'p.a', nested: 'div > p', second: 'p:nth-of-type(2)', none: 'h1' }
    expect(await read(html, 'css', fields)).toEqual({ first: 'one', nested: 'three', second: 'two', none: null })
  })
})

describe.concurrent('extract config, xpath', () => {
  test('an expression is XPath 1.0: of a set of nodes the first, and numbers, texts and booleans', async () => {
    const html = '<ul><li data-n=1>one</li><li data-n=2>two</li></ul>'
    const fields = {
      first: '//li',
      attribute: '//li[2]/@data-n',
      count: 'count(//li)',
      text: 'concat(//li[1], "-", //li[last()])',
      truth: 'boolean(//li[. = "two"])',
      none: '//h1',
    }
    expect(await read(html, 'xpath', fields)).toEqual({
      first: 'one',
      attribute: '2',
      count: 2,
      text: 'one-two',
      truth: true,
      none: null,
    })
  })

  test.each(['ends-with(//a, "b")', '//a => string()', 'for $a in //a return $a', 'if (//a) then 1 else 2'])(
    'what only later versions have is refused: %s',
    async (expression) => {
      const { served } = watching
      const extract_config = { method: 'xpath', fields: { value: expression } }
      const answer = await served.me.post('/v1/monitors', { name: 'a', url: 'https://example.com/', extract_config })
      expect(answer.body.error.details.map(({ path }) => path)).toContain('extract_config.fields.value')
    },
  )
})

describe.concurrent('extract config, json_path', () => {
  const item = { name: 'kettle', price: 17.5, tags: ['a', 'b'], stock: null, isNew: true }

  test('the body is parsed as JSON; $ is the root', async () => {
    const fields = { whole: '$', price: '$.price', tag: '$.tags[1]', isNew: '$.isNew', stock: '$.stock', none: '$.x' }
    expect(await read(item, 'json_path', fields)).toEqual({
      whole: item,
      price: 17.5,
      tag: 'b',
      isNew: true,
      stock: null,
      none: null,
    })
  })

  test('an array at the root starts with $[0]', async () => {
    const fields = { first: '$[0].name', names: '$[*].name' }
    expect(await read([item, { name: 'pot' }], 'json_path', fields)).toEqual({
      first: 'kettle',
      names: ['kettle', 'pot'],
    })
  })

  test('a body that is not JSON is a failed run', async () => {
    const { baseline } = await watching.watch('{"price":', {
      ...any,
      extract_config: { method: 'json_path', fields: { a: '$' } },
    })
    expect(baseline).toMatchObject({ status: 'error', extracted: {}, error_message: expect.stringMatching(/JSON/) })
  })
})

describe.concurrent('extract config, regex', () => {
  const html = '<!-- build 41 --><p class="v">v1.2</p><p>v1.3</p><script>var v = "v9"</script>'

  test('runs against the raw body: its markup, comments and scripts', async () => {
    const fields = { comment: 'build (\\d+)', markup: 'class="(\\w)"', script: 'var v = "(v\\d)"' }
    expect(await read(html, 'regex', fields)).toEqual({ comment: '41', markup: 'v', script: 'v9' })
  })

  test('the stored value is the match count', async () => {
    expect(await read(html, 'regex', { paragraphs: '<p', none: 'zzz', noGroup: '(?:v\\d)' })).toEqual({
      paragraphs: 2,
      none: 0,
      noGroup: 3,
    })
  })

  test('or the first capture group when the pattern has one', async () => {
    expect(await read(html, 'regex', { first: 'v(\\d)\\.(\\d)', named: 'v1\\.(?<minor>\\d)', none: 'x(\\d)' })).toEqual(
      {
        first: '1',
        named: '2',
        none: null,
      },
    )
  })
})

describe.concurrent('extract config, full_page', () => {
  test('hashes the whole response', async () => {
    const html = '<p>one</p>'
    const { baseline } = await watching.watch(html, { ...any, extract_config: { method: 'full_page' } })
    expect(baseline.extracted).toEqual({ content_hash: createHash('sha256').update(html).digest('hex') })
  })

  test.each([
    ['a text', '<p>one</p>', '<p>two</p>'],
    ['an attribute', '<p id=a>', '<p id=b>'],
    ['a comment', '<p><!-- 1 -->', '<p><!-- 2 -->'],
    ['a value of JSON', '{"a":1}', '{"a":2}'],
  ])('fires when the hash changes: %s', async (_, before, after) => {
    const page = await watching.watch(before, { ...any, extract_config: { method: 'full_page' } })
    page.set(after)
    expect(await page.run()).toMatchObject({ diff: { fields_changed: ['content_hash'] }, delivery_triggered: true })
    expect(await page.run()).toMatchObject({ diff: {}, delivery_triggered: false })
  })
})

describe('request headers', () => {
  test('request_headers go with the outgoing scrape request, instead of ours', async () => {
    const request_headers = { Authorization: 'Bearer a', 'X-Tab': 'a\tb', 'User-Agent': 'mine', Accept: 'text/x' }
    const page = await watching.watch({ value: 1 }, { ...any, request_headers })
    expect(page.requests.at(-1)).toMatchObject({
      authorization: 'Bearer a',
      'x-tab': 'a\tb',
      'user-agent': 'mine',
      accept: 'text/x',
    })
  })
})
