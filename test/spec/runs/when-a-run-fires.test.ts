import { describe, expect, test } from 'vitest'
import { startWatching, VALUE } from '../../support/api/watching.ts'
import { shared } from '../../support/run/shared.ts'

const watching = shared(() => startWatching())

const HOOK = { type: 'webhook', url: 'https://receiver.example/hook' }

const watch = (first: unknown, diff_predicate: object, extract_config: object = VALUE) =>
  watching.watch(first, { extract_config, diff_predicate, deliveries: [HOOK] })

const of = (type: string, rest: object) => ({ type, field: 'value', ...rest })

describe.concurrent('a predicate fires when', () => {
  test.each<[string, object, unknown, unknown, boolean]>([
    ['any tracked field differs', { type: 'any_field_changes' }, 1, 2, true],
    ['that field differs', of('field_changes', {}), 'a', 'b', true],
    ['a rise reaches the percentage exactly', of('field_increases_by_percent', { threshold: 5 }), 100, 105, true],
    ['a rise stays just below it: no', of('field_increases_by_percent', { threshold: 5 }), 100, 104.99, false],
    ['a fall reaches the percentage', of('field_decreases_by_percent', { threshold: 5 }), '$20.00', '$19.00', true],
    ['a fall stays just below it: no', of('field_decreases_by_percent', { threshold: 5 }), '$20.00', '$19.01', false],
    ['a fall is asked for and it rises: no', of('field_decreases_by_percent', { threshold: 5 }), 20, 30, false],
    ['a rise is asked for and it falls: no', of('field_increases_by_percent', { threshold: 5 }), 30, 20, false],
    ['5 means 5 percent: a rise of 4 no', of('field_increases_by_percent', { threshold: 5 }), 1000, 1040, false],
    ['the text is a percentage', of('field_increases_by_absolute', { threshold: 0.5 }), '3.5 %', '4.0 %', true],
    [
      'the text is an amount of money',
      of('field_increases_by_percent', { threshold: 10 }),
      '$1,299.00',
      '$1,428.90',
      true,
    ],
    ['it parses to no number, in percent: no', of('field_increases_by_percent', { threshold: 1 }), 1, 'none', false],
    ['it parsed to no number before: no', of('field_decreases_by_absolute', { threshold: 1 }), 'none', 1, false],
    ['a rise by the amount, in decimals', of('field_increases_by_absolute', { threshold: 0.2 }), 0.1, 0.3, true],
    ['a rise below the amount: no', of('field_increases_by_absolute', { threshold: 0.2 }), 0.1, 0.29, false],
    ['a fall by the amount', of('field_decreases_by_absolute', { threshold: 10 }), '1.299,00 €', '1.289,00 €', true],
    ['a fall below the amount: no', of('field_decreases_by_absolute', { threshold: 10 }), 100, 90.01, false],
    ['it parses to no number: no', of('field_increases_by_absolute', { threshold: 1 }), 'ten', 'twenty', false],
    ['the new value matches', of('field_matches_regex', { pattern: '^sold' }), 'in stock', 'sold out', true],
    ['the new value does not match: no', of('field_matches_regex', { pattern: '^sold' }), 'a', 'b', false],
    [
      'the syntax is that of JavaScript',
      of('field_matches_regex', { pattern: '(?<!not )\\bsold\\b' }),
      'a',
      'is sold',
      true,
    ],
    [
      'the syntax is that of JavaScript: no',
      of('field_matches_regex', { pattern: '(?<!not )\\bsold\\b' }),
      'a',
      'not sold',
      false,
    ],
    ['the old value matched, the new one does not: no', of('field_matches_regex', { pattern: 'a' }), 'a', 'b', false],
    ['beyond the contract, a line is added', of('lines_added', {}), 'a', 'a\nb', true],
    ['no line is added: no', of('lines_added', {}), 'a\nb', 'b', false],
    ['a line that is added matches', of('lines_added', { pattern: '^b' }), 'a', 'a\nb', true],
    ['a line that stays matches: no', of('lines_added', { pattern: '^a' }), 'a', 'a\nb', false],
    ['a line is removed', of('lines_removed', {}), 'a\nb', 'b', true],
    ['a list loses an item', of('list_loses_items', {}), ['a', 'b'], ['b', 'c'], true],
    ['a list only gains items: no', of('list_loses_items', {}), ['a'], ['a', 'b'], false],
    ['the new value equals the literal', of('field_equals', { value: 'b' }), 'a', 'b', true],
    ['the case differs: no', of('field_equals', { value: 'B' }), 'a', 'b', false],
    ['the literal is a part of the value: no', of('field_equals', { value: 'b' }), 'a', 'bb', false],
    ['a number equals the number', of('field_equals', { value: 2 }), 1, 2, true],
    ['a number is not its text: no', of('field_equals', { value: 2 }), 1, '2', false],
    ['a text is not its number: no', of('field_equals', { value: '2' }), '1', 2, false],
    ['boolean false equals boolean false', of('field_equals', { value: false }), true, false, true],
    ['boolean true equals boolean true', of('field_equals', { value: true }), false, true, true],
    ['boolean true is not the text true', of('field_equals', { value: true }), 'no', 'true', false],
    [
      'AND holds wholly',
      { type: 'composite', operator: 'AND', conditions: [of('field_changes', {}), of('field_equals', { value: 2 })] },
      1,
      2,
      true,
    ],
    [
      'AND holds in part: no',
      { type: 'composite', operator: 'AND', conditions: [of('field_changes', {}), of('field_equals', { value: 3 })] },
      1,
      2,
      false,
    ],
    [
      'OR holds nowhere: no',
      {
        type: 'composite',
        operator: 'OR',
        conditions: [of('field_equals', { value: 3 }), of('field_equals', { value: 4 })],
      },
      1,
      2,
      false,
    ],
    [
      'OR holds in part, nested',
      {
        type: 'composite',
        operator: 'OR',
        conditions: [
          of('field_equals', { value: 3 }),
          { type: 'composite', operator: 'AND', conditions: [of('field_changes', {})] },
        ],
      },
      1,
      2,
      true,
    ],
  ])('%s', async (_, predicate, before, after, expected) => {
    const page = await watch({ value: before, other: 0 }, predicate)
    expect(page.baseline).toMatchObject({ status: 'success', diff: {}, delivery_triggered: false })
    page.set({ value: after, other: 0 })
    const run = await page.run()
    expect(run).toMatchObject({
      status: 'success',
      diff: { fields_changed: ['value'], before: { value: before }, after: { value: after } },
      delivery_triggered: expected,
    })
    const { data } = (await watching.served.me.get(`/v1/runs/${run.id}/deliveries`)).body
    expect(data).toHaveLength(expected ? 1 : 0)
  })
})

describe.concurrent('of two fields', () => {
  test.each<[string, object, boolean]>([
    ['any_field_changes fires when the other one differs', { type: 'any_field_changes' }, true],
    ['field_changes does not fire when the other one differs', of('field_changes', {}), false],
    ['a rise of the other one is none of this', of('field_increases_by_absolute', { threshold: 1 }), false],
  ])('%s', async (_, predicate, expected) => {
    const page = await watch({ value: 1, other: 1 }, predicate)
    page.set({ value: 1, other: 9 })
    expect(await page.run()).toMatchObject({
      diff: { fields_changed: ['other'], before: { other: 1 }, after: { other: 9 } },
      delivery_triggered: expected,
    })
  })
})

describe.concurrent('a run works as follows:', () => {
  test.each([
    of('field_equals', { value: 'sold out' }),
    of('field_matches_regex', { pattern: 'sold' }),
    of('field_changes', {}),
    { type: 'any_field_changes' },
  ])('the first run of a monitor never fires; the baseline is set silently: %j', async (predicate) => {
    const page = await watch({ value: 'sold out' }, predicate)
    expect(page.baseline).toMatchObject({
      status: 'success',
      extracted: { value: 'sold out', other: null },
      diff: {},
      delivery_triggered: false,
    })
    expect((await watching.served.me.get(`/v1/runs/${page.baseline.id}/deliveries`)).body).toEqual({ data: [] })
  })

  test('a run equal to the last one never fires, and shows the same values', async () => {
    const page = await watch({ value: 'a' }, of('field_matches_regex', { pattern: 'a' }))
    expect(await page.run()).toMatchObject({ diff: {}, delivery_triggered: false, extracted: { value: 'a' } })
  })

  test('the order of JSON keys is no change', async () => {
    const whole = { method: 'json_path', fields: { value: '$' } }
    const page = await watch({ a: 1, b: { c: 2, d: 3 } }, { type: 'any_field_changes' }, whole)
    page.set({ b: { d: 3, c: 2 }, a: 1 })
    expect(await page.run()).toMatchObject({ diff: {}, delivery_triggered: false })
  })

  test('a failed run never fires and never becomes the baseline', async () => {
    const page = await watch({ value: 1 }, { type: 'any_field_changes' })
    page.set('<h1>down</h1>', 'text/html', 500)
    expect(await page.run()).toMatchObject({
      status: 'error',
      extracted: {},
      diff: {},
      delivery_triggered: false,
      error_message: expect.stringContaining('500') as string,
    })
    page.set({ value: 1 })
    expect(await page.run()).toMatchObject({ status: 'success', diff: {}, delivery_triggered: false })
    page.set({ value: 2 })
    expect(await page.run()).toMatchObject({ diff: { before: { value: 1 }, after: { value: 2 } } })
  })

  test('an answer that is not of the type which the method reads is a failed run', async () => {
    const page = await watch({ value: 1 }, { type: 'any_field_changes' })
    page.set('<p>login</p>', 'text/html')
    expect(await page.run()).toMatchObject({ status: 'error', error_code: 'wrong_type' })
  })

  test('a field that is not there is null, and its coming back is a change', async () => {
    const page = await watch({ value: 1 }, { type: 'field_changes', field: 'other' })
    page.set({ value: 1, other: 7 })
    expect(await page.run()).toMatchObject({
      diff: { before: { other: null }, after: { other: 7 } },
      delivery_triggered: true,
    })
  })

  test('an edit of what is read makes the next run a silent baseline', async () => {
    const page = await watch({ value: 1, other: 5 }, { type: 'any_field_changes' })
    page.set({ value: 2, other: 6 })
    const fields = { value: '$.other' }
    await watching.served.me.patch(`/v1/monitors/${page.id}`, { extract_config: { method: 'json_path', fields } })
    expect(await page.run()).toMatchObject({ extracted: { value: 6 }, diff: {}, delivery_triggered: false })
    page.set({ other: 9 })
    expect(await page.run()).toMatchObject({ diff: { before: { value: 6 }, after: { value: 9 } } })
  })

  test.each<[string, object, string, string, object]>([
    ['css', { price: 'b.price' }, '<b class=price> 1 </b>', '<b class=price>2</b>', { price: '2' }],
    ['xpath', { price: 'number(//b)' }, '<b>1</b>', '<b>2.5</b>', { price: 2.5 }],
    ['regex', { price: 'v(\\d+)' }, '<i>v1</i>', '<i>v22</i>', { price: '22' }],
    ['regex', { count: '<li>' }, '<li>a', '<li>a<li>b', { count: 2 }],
  ])('%s reads %j', async (method, fields, before, after, values) => {
    const page = await watch(before, { type: 'any_field_changes' }, { method, fields })
    page.set(after, 'text/html')
    expect(await page.run()).toMatchObject({ extracted: values, delivery_triggered: true, fetch_method: 'static' })
  })

  test('full_page hashes the whole response and fires when the hash changes', async () => {
    const page = await watch('<p>one', { type: 'any_field_changes' }, { method: 'full_page' })
    expect(page.baseline.extracted).toEqual({ content_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
    page.set('<p>two', 'text/html')
    expect(await page.run()).toMatchObject({ diff: { fields_changed: ['content_hash'] }, delivery_triggered: true })
  })

  test('prompt fails with a clear message while the installation has no model', async () => {
    const page = await watch(
      '<p>one',
      { type: 'any_field_changes' },
      { method: 'prompt', prompt: 'What is the price?' },
    )
    expect(page.baseline).toMatchObject({ status: 'error', error_code: 'not_available' })
    expect(page.baseline.error_message).toMatch(/LLM_BASE_URL/)
    // What cannot be read is not fetched.
    expect(page.requests).toHaveLength(0)
  })
})
