import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPolicy } from '../../runners/guard/policy.ts'
import { eventually } from '../runners/loop/eventually.ts'
import { type RunningWorker, startWorker } from '../runners/loop/worker.ts'
import { createMonitor, type ServedApi, serveApi } from './support.ts'

/** A site with a page for each path, whose text a test sets. */
const pages = new Map<string, { readonly text: string; readonly type: string; readonly status: number }>()
const site = createServer((request, response) => {
  const page = pages.get(request.url ?? '') ?? { text: 'none', type: 'text/plain', status: 404 }
  response.writeHead(page.status, { 'content-type': page.type }).end(page.text)
})
let served: ServedApi
let worker: RunningWorker
let origin = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  served = await serveApi('scale', { egress })
  worker = await startWorker({ url: served.api.databaseUrl, secrets: served.api.services.secrets })
})
afterAll(async () => {
  await worker.stop(5_000)
  await served.close()
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

interface Run {
  readonly id: string
  readonly status: string
  readonly extracted: object
  readonly diff: object
  readonly delivery_triggered: boolean
  readonly error_message: string | null
}

const HOOK = { type: 'webhook', url: 'https://receiver.example/hook' }
const VALUE = { method: 'json_path', fields: { value: '$.value', other: '$.other' } }
let made = 0

/** Watches a page of its own; answers what to do with it. The first run has ended. */
async function watch(first: unknown, diff_predicate: object, extract_config: object = VALUE) {
  const path = `/${++made}`
  const set = (answer: unknown, type = 'application/json', status = 200) =>
    pages.set(path, { text: typeof answer === 'string' ? answer : JSON.stringify(answer), type, status })
  set(first, typeof first === 'string' ? 'text/html' : 'application/json')
  const { id } = await createMonitor(served.me, {
    url: origin + path,
    extract_config,
    diff_predicate,
    deliveries: [HOOK],
    schedule_interval_seconds: 86_400,
  })
  const baseline = await eventually(
    async () => (await served.me.get(`/v1/monitors/${id}/runs`)).body.data[0] as unknown as Run | undefined,
    (run) => run !== undefined && run.status !== 'running',
  )
  if (!baseline) throw new Error('the first run is missing')
  return { id, set, baseline, run: () => runNow(id) }
}

async function runNow(id: string): Promise<Run> {
  const { body } = await served.me.post(`/v1/monitors/${id}/run`)
  return eventually(
    async () => (await served.me.get(`/v1/runs/${body.run_id}`)).body as unknown as Run,
    (run) => run.status !== 'running',
  )
}

const of = (type: string, rest: object) => ({ type, field: 'value', ...rest })

describe('A predicate fires when', () => {
  test.each<[string, object, unknown, unknown, boolean]>([
    ['any tracked field differs', { type: 'any_field_changes' }, 1, 2, true],
    ['that field differs', of('field_changes', {}), 'a', 'b', true],
    ['a rise reaches the percentage exactly', of('field_increases_by_percent', { threshold: 5 }), 100, 105, true],
    ['a rise stays just below it: no', of('field_increases_by_percent', { threshold: 5 }), 100, 104.99, false],
    ['a fall reaches the percentage', of('field_decreases_by_percent', { threshold: 5 }), '$20.00', '$19.00', true],
    ['a fall is asked for and it rises: no', of('field_decreases_by_percent', { threshold: 5 }), 20, 30, false],
    ['a rise by the amount, in decimals', of('field_increases_by_absolute', { threshold: 0.2 }), 0.1, 0.3, true],
    ['a rise below the amount: no', of('field_increases_by_absolute', { threshold: 0.2 }), 0.1, 0.29, false],
    ['a fall by the amount', of('field_decreases_by_absolute', { threshold: 10 }), '1.299,00 €', '1.289,00 €', true],
    ['it parses to no number: no', of('field_increases_by_absolute', { threshold: 1 }), 'ten', 'twenty', false],
    ['the new value matches', of('field_matches_regex', { pattern: '^sold' }), 'in stock', 'sold out', true],
    ['the new value does not match: no', of('field_matches_regex', { pattern: '^sold' }), 'a', 'b', false],
    ['the new value equals the literal', of('field_equals', { value: 'b' }), 'a', 'b', true],
    ['the case differs: no', of('field_equals', { value: 'B' }), 'a', 'b', false],
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
    const { data } = (await served.me.get(`/v1/runs/${run.id}/deliveries`)).body
    expect(data).toHaveLength(expected ? 1 : 0)
  })
})

describe('A run works as follows:', () => {
  test('the first run of a monitor never fires; the baseline is set silently.', async () => {
    const page = await watch({ value: 'sold out' }, of('field_equals', { value: 'sold out' }))
    expect(page.baseline).toMatchObject({ extracted: { value: 'sold out', other: null }, delivery_triggered: false })
  })

  test('a run equal to the last one never fires, and shows the same values.', async () => {
    const page = await watch({ value: 'a' }, of('field_matches_regex', { pattern: 'a' }))
    expect(await page.run()).toMatchObject({ diff: {}, delivery_triggered: false, extracted: { value: 'a' } })
  })

  test('the order of JSON keys is no change.', async () => {
    const whole = { method: 'json_path', fields: { value: '$' } }
    const page = await watch({ a: 1, b: { c: 2, d: 3 } }, { type: 'any_field_changes' }, whole)
    page.set({ b: { d: 3, c: 2 }, a: 1 })
    expect(await page.run()).toMatchObject({ diff: {}, delivery_triggered: false })
  })

  test('a failed run never fires and never becomes the baseline.', async () => {
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

  test('an answer that is not of the type which the method reads is a failed run.', async () => {
    const page = await watch({ value: 1 }, { type: 'any_field_changes' })
    page.set('<p>login</p>', 'text/html')
    expect(await page.run()).toMatchObject({ status: 'error', error_code: 'wrong_type' })
  })

  test('a field that is not there is null, and its coming back is a change.', async () => {
    const page = await watch({ value: 1 }, { type: 'field_changes', field: 'other' })
    page.set({ value: 1, other: 7 })
    expect(await page.run()).toMatchObject({
      diff: { before: { other: null }, after: { other: 7 } },
      delivery_triggered: true,
    })
  })

  test('an edit of what is read makes the next run a silent baseline.', async () => {
    const page = await watch({ value: 1, other: 5 }, { type: 'any_field_changes' })
    page.set({ value: 2, other: 6 })
    const fields = { value: '$.other' }
    await served.me.patch(`/v1/monitors/${page.id}`, { extract_config: { method: 'json_path', fields } })
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

  test('full_page hashes the whole response and fires when the hash changes.', async () => {
    const page = await watch('<p>one', { type: 'any_field_changes' }, { method: 'full_page' })
    expect(page.baseline.extracted).toEqual({ content_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
    page.set('<p>two', 'text/html')
    expect(await page.run()).toMatchObject({ diff: { fields_changed: ['content_hash'] }, delivery_triggered: true })
  })

  test('prompt fails with a clear message while the installation has no model.', async () => {
    const page = await watch(
      '<p>one',
      { type: 'any_field_changes' },
      { method: 'prompt', prompt: 'What is the price?' },
    )
    expect(page.baseline).toMatchObject({ status: 'error', error_code: 'not_available' })
    expect(page.baseline.error_message).toMatch(/model/)
  })
})
