import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Values } from '../../../schema/shape/json.ts'
import { emptied, vanished } from '../../../worker/record/lost-fields.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import { type MonitorOptions, openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { html, openSite, type Site, status } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RunningWorker, startWorker } from '../../support/worker/check-worker.ts'

const names = ['price', 'stock']
const NOTHING = { newly: [], lists: null, warnings: [] }

describe('counting readings that lack a field', () => {
  const after = (missing: Record<string, number> | null, values: Record<string, string | null>) =>
    vanished({ before: { price: null, stock: '3' }, missing, lists: null, after: values, names })

  test('a first reading lacks nothing, whatever is null in it', () => {
    const first = vanished({ before: null, missing: { price: 2 }, lists: null, after: { price: null }, names })
    expect(first).toEqual({ ...NOTHING, missing: null, isOpen: false })
  })

  test('a field that never had a value is not missed', () => {
    expect(after(null, { price: null, stock: '3' })).toEqual({ ...NOTHING, missing: null, isOpen: false })
  })

  test('a field that had a value is counted from the first reading without it, and stays open below three', () => {
    expect(after(null, { price: null, stock: null })).toEqual({
      missing: { stock: 1 },
      isOpen: true,
      ...NOTHING,
    })
    expect(after({ price: 1 }, { price: null, stock: '3' })).toEqual({
      missing: { price: 2 },
      isOpen: true,
      ...NOTHING,
    })
  })

  test('the third warns and closes the count; more do not count on, and warn again', () => {
    for (const known of [2, 3])
      expect(after({ price: known }, { price: null, stock: '3' })).toEqual({
        missing: { price: 3 },
        isOpen: false,
        lists: null,
        newly: known === 2 ? ['price'] : [],
        warnings: [expect.stringContaining('"price"')],
      })
  })

  test('a value ends its own count and no other', () => {
    expect(after({ price: 2 }, { price: '1', stock: null })).toEqual({
      missing: { stock: 1 },
      isOpen: true,
      ...NOTHING,
    })
  })

  test('a field that treatments emptied is neither missing nor empty', () => {
    const before = { price: '1', stock: ['a'] }
    const read = { before, after: { price: null, stock: [] }, names }
    const known = { missing: { stock: 2 }, lists: { stock: ['a'] } }
    expect(vanished({ ...read, ...known, cleaned: ['stock'] })).toEqual({
      ...NOTHING,
      missing: { price: 1 },
      isOpen: true,
    })
    expect(emptied({ ...read, empty: 2 })).toMatchObject({ empty: 3, notice: 'field_missing' })
    expect(emptied({ ...read, empty: 2, cleaned: ['stock'] })).toMatchObject({ empty: null, notice: null })
    expect(emptied({ ...read, before: null, empty: null, cleaned: ['stock'] })).toMatchObject({ notice: null })
  })

  test('a list that loses its last item is missing, and its items are kept for two readings', () => {
    const of = (lists: Values | null, before: Values, count: number | null) =>
      vanished({
        before,
        missing: count === null ? null : { items: count },
        lists,
        after: { items: [], title: 'News' },
        names: ['items', 'title'],
      })
    const full = { items: ['a', 'b'], title: 'News' }
    const empty = { items: [], title: 'News' }
    const kept = { items: ['a', 'b'] }
    expect(of(null, full, null)).toEqual({ ...NOTHING, missing: { items: 1 }, isOpen: true, lists: kept })
    expect(of(kept, empty, 1)).toEqual({ ...NOTHING, missing: { items: 2 }, isOpen: true, lists: kept })
    expect(of(kept, empty, 2)).toEqual({
      missing: { items: 3 },
      isOpen: false,
      lists: null,
      newly: ['items'],
      warnings: [expect.stringContaining('"items"')],
    })
    expect(of(null, empty, null)).toEqual({ ...NOTHING, missing: null, isOpen: false })
  })

  test('a field that is absent is missing; names of Object.prototype are only names', () => {
    expect(
      vanished({
        before: { constructor: 'a' },
        missing: {},
        lists: null,
        after: {},
        names: ['constructor', 'toString'],
      }),
    ).toEqual({
      missing: { constructor: 1 },
      isOpen: true,
      ...NOTHING,
    })
  })
})

describe('runs whose field has vanished', () => {
  let database: QueueDatabase
  let site: Site
  let worker: RunningWorker | undefined
  beforeAll(async () => {
    database = await openQueueDatabase()
  })
  beforeEach(async () => {
    site = await openSite()
  })
  afterEach(async () => {
    await worker?.[Symbol.asyncDispose]()
    worker = undefined
    await site[Symbol.asyncDispose]()
    await stopChecks(database, 'all')
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const OTHER = '<p class="stock">7</p>'
  const WARNED = [expect.stringMatching(/^The field "price" had a value and has been missing for three runs/)]

  async function watching(options: MonitorOptions = {}) {
    const extract = { method: 'css', fields: { price: '.price', stock: '.stock' } }
    const [no = 0] = await database.monitors(await database.team(), { url: site.url, extract, ...options })
    worker = await startWorker({ url: database.url, secrets: database.secrets })
    await runs(no, 1)
    return no
  }
  const runs = (no: number, count: number) =>
    eventually(
      () => database.runs(no),
      (seen) => seen.length >= count,
    )
  async function next(no: number) {
    const { length } = await database.runs(no)
    await database.makeDue()
    return (await runs(no, length + 1)).at(-1)
  }

  test('the third run in a row without the field warns, though its page is the same to the byte', async () => {
    const no = await watching()
    site.answer(html(OTHER))
    expect(await next(no)).toMatchObject({ extracted: { price: null, stock: '7' }, warnings: null })
    expect(await next(no)).toMatchObject({ diff: null, warnings: null })
    expect(await next(no)).toMatchObject({ status: 'success', diff: null, delivery_triggered: false, warnings: WARNED })
  })

  test('after the warning the same page is not read again: its runs point at the one that warned', async () => {
    const no = await watching()
    site.answer(html(OTHER))
    await next(no)
    await next(no)
    const warned = await next(no)
    expect(await next(no)).toMatchObject({ reading_id: warned?.id, extracted: null, warnings: null })
  })

  test('a page that answers 304 to its validators is asked without them until the warning', async () => {
    const validators: (string | undefined)[] = []
    let body = '<p class="price">$1</p>'
    site.answer((response, request) => {
      const given = request.headers['if-none-match']
      const etag = `"${body.length}"`
      validators.push(given)
      if (given === etag) response.writeHead(304).end()
      else response.writeHead(200, { 'content-type': 'text/html', etag }).end(body)
    })
    const no = await watching()
    body = OTHER
    await next(no)
    await next(no)
    expect(await next(no)).toMatchObject({ warnings: WARNED })
    await next(no)
    expect(validators).toEqual([undefined, '"23"', undefined, undefined, `"${OTHER.length}"`])
  })

  test('a failed run between neither counts nor ends the count', async () => {
    const no = await watching()
    site.answer(html(OTHER))
    await next(no)
    await next(no)
    site.answer(status(500))
    expect(await next(no)).toMatchObject({ status: 'error', warnings: null })
    site.answer(html(OTHER))
    expect(await next(no)).toMatchObject({ warnings: WARNED })
  })

  test('a field that comes back in time causes no warning; it counts anew', async () => {
    const no = await watching()
    site.answer(html(OTHER))
    await next(no)
    await next(no)
    site.price('$2')
    expect(await next(no)).toMatchObject({ extracted: { price: '$2' }, warnings: null })
    site.answer(html(OTHER))
    expect(await next(no)).toMatchObject({ warnings: null })
    expect(await next(no)).toMatchObject({ warnings: null })
    expect(await next(no)).toMatchObject({ warnings: WARNED })
  })

  test('a field that never had a value is a warning of the first run alone', async () => {
    site.answer(html('<p class="price">$1</p>'))
    const no = await watching()
    const [first] = await database.runs(no)
    expect(first?.warnings).toEqual([expect.stringMatching(/^The field "stock" has no match on the page/)])
    for (let n = 0; n < 3; n++) expect(await next(no)).toMatchObject({ reading_id: first?.id, warnings: null })
  })

  test('another field that changes later is recorded with the warning again', async () => {
    const no = await watching()
    site.answer(html(OTHER))
    await next(no)
    await next(no)
    await next(no)
    await next(no)
    site.answer(html('<p class="stock">8</p>'))
    expect(await next(no)).toMatchObject({ diff: { fields_changed: ['stock'] }, warnings: WARNED })
  })

  test('a feed that is empty for one or two checks tells only its new items when it is full again', async () => {
    const items = (...titles: string[]) => html(`<title>News</title>${titles.map((one) => `<li>${one}</li>`).join('')}`)
    const extract = { method: 'css', fields: { items: 'li[]', title: 'title' } }
    const gains = { type: 'list_gains_items', field: 'items' }
    const cleared = { type: 'field_changes', field: 'items' }
    site.answer(items('a', 'b'))
    const deliveries = [{ type: 'webhook', url: 'http://127.0.0.1:1/hook' }] as const
    const no = await watching({ extract, predicate: gains, deliveries })
    for (const empties of [1, 2]) {
      site.answer(items())
      for (let n = 0; n < empties; n++) expect(await next(no)).toMatchObject({ delivery_triggered: false })
      site.answer(items('a', 'b'))
      expect(await next(no)).toMatchObject({ diff: { after: { items: ['a', 'b'] } }, delivery_triggered: false })
    }
    site.answer(items())
    await next(no)
    site.answer(items('c', 'a', 'b'))
    expect(await next(no)).toMatchObject({ delivery_triggered: true })

    site.answer(items())
    for (let n = 0; n < 3; n++) await next(no)
    site.answer(items('a', 'b'))
    expect(await next(no)).toMatchObject({ delivery_triggered: true })

    await changeMonitors(database, no, { diffPredicate: cleared })
    site.answer(items())
    expect(await next(no)).toMatchObject({ diff: { after: { items: [] } }, delivery_triggered: true })
  })

  test('items that come after a first reading without a match are gains', async () => {
    site.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"title":"News"}'))
    const extract = { method: 'json_path', fields: { items: '$.items', title: '$.title' } }
    const deliveries = [{ type: 'webhook', url: 'http://127.0.0.1:1/hook' }] as const
    const no = await watching({ extract, predicate: { type: 'list_gains_items', field: 'items' }, deliveries })
    const full = '{"title":"News","items":["a"]}'
    site.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(full))
    expect(await next(no)).toMatchObject({ diff: { before: { items: null } }, delivery_triggered: true })
  })
})
