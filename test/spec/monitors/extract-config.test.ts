import { describe, expect, test } from 'vitest'
import { createMonitor, faultsOf } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { refusals, titled } from '../../support/run/case-titles.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 'p']))

describe('extract config', () => {
  test.each(
    titled<object>([
      { method: 'css', fields: { title: 'h1 > a.title:first-child' } },
      { method: 'css', fields: named(50) },
      { method: 'css', fields: { ['n'.repeat(100)]: 'p' } },
      { method: 'css', fields: { 'the price': 'p', müde: 'p', constructor: 'p' } },
      { method: 'xpath', fields: { count: 'count(//li[@class="item"])' } },
      { method: 'json_path', fields: { first: '$[0].price', all: '$..price', cheap: '$.items[?@.price < 10].name' } },
      { method: 'regex', fields: { version: 'v(\\d+\\.\\d+)', any: '(?i:error)' } },
      { method: 'full_page' },
      { method: 'prompt', prompt: 'ten chars!' },
      { method: 'prompt', prompt: 'p'.repeat(2000), schema: { price: 'number' } },
    ]),
  )('is discriminated by method; this one is taken: %s', async (_, extract_config) => {
    expect(await createMonitor(served.me, { extract_config })).toMatchObject({ extract_config })
  })

  test.each(
    refusals<object>([
      [{}, ['extract_config.method']],
      [{ method: 'jq', fields: { a: '.a' } }, ['extract_config.method']],
      [{ method: 'css' }, ['extract_config.fields']],
      [{ method: 'css', fields: {} }, ['extract_config.fields']],
      [{ method: 'css', fields: named(51) }, ['extract_config.fields']],
      [{ method: 'css', fields: { '': 'p' } }, ['extract_config.fields[""]']],
      [{ method: 'css', fields: { ['n'.repeat(101)]: 'p' } }, [`extract_config.fields.${'n'.repeat(101)}`]],
      [{ method: 'css', fields: { price: '' } }, ['extract_config.fields.price']],
      [{ method: 'css', fields: { price: 'p'.repeat(1001) } }, ['extract_config.fields.price']],
      [{ method: 'css', fields: { price: 7 } }, ['extract_config.fields.price']],
      [{ method: 'css', fields: { price: 'p' }, prompt: 'ten chars!' }, ['extract_config.prompt']],
      [{ method: 'full_page', fields: { price: 'p' } }, ['extract_config.fields']],
      [{ method: 'prompt' }, ['extract_config.prompt']],
      [{ method: 'prompt', prompt: 'nine char' }, ['extract_config.prompt']],
      [{ method: 'prompt', prompt: 'p'.repeat(2001) }, ['extract_config.prompt']],
      [{ method: 'prompt', prompt: 'ten chars!', schema: [] }, ['extract_config.schema']],
      [{ method: 'css', fields: { price: 'p' }, more: 1 }, ['extract_config.more']],
    ]),
  )('refuses %s', async (_, extract_config, paths) => {
    expect(await faultsOf(served.me, { extract_config })).toEqual(paths)
  })

  test.each([
    ['css', 'div[class'],
    ['css', 'p:unheard-of'],
    ['xpath', '//a['],
    ['xpath', 'count('],
    ['json_path', 'price'],
    ['json_path', '$.a['],
    ['regex', '(unclosed'],
    ['regex', 'a**'],
  ])('a rule of method %s that cannot run is refused at its path: %s', async (method, rule) => {
    const fields = { good: { css: 'p', xpath: '//p', json_path: '$.p', regex: 'p' }[method], 'not good': rule }
    expect(await faultsOf(served.me, { extract_config: { method, fields } })).toEqual([
      'extract_config.fields["not good"]',
    ])
  })

  test('__proto__ is no field name', async () => {
    const body =
      '{"name":"a","url":"https://example.com/","schedule_interval_seconds":60,' +
      '"extract_config":{"method":"css","fields":{"__proto__":"p","a":"p"}},' +
      '"diff_predicate":{"type":"any_field_changes"}}'
    const answer = await served.me.post('/v1/monitors', body)
    expect(answer.status).toBe(422)
  })
})
