import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { vanished } from '../../../worker/record/judge.ts'
import { type MonitorOptions, openQueueWorld, type QueueWorld } from '../../store/queue/queue-world.ts'
import { eventually } from '../../support/eventually.ts'
import { html, openSite, type Site, status } from '../../support/site.ts'
import { type RunningWorker, startWorker } from '../../support/check-worker.ts'

const names = ['price', 'stock']

describe('counting readings that lack a field', () => {
  const after = (missing: Record<string, number> | null, values: Record<string, string | null>) =>
    vanished({ before: { price: null, stock: '3' }, missing, after: values, names })

  test('a first reading lacks nothing, whatever is null in it', () => {
    const first = vanished({ before: null, missing: { price: 2 }, after: { price: null }, names })
    expect(first).toEqual({ missing: null, isOpen: false, newly: [], warnings: [] })
  })

  test('a field that never had a value is not missed', () => {
    expect(after(null, { price: null, stock: '3' })).toEqual({ missing: null, isOpen: false, newly: [], warnings: [] })
  })

  test('a field that had a value is counted from the first reading without it, and stays open below three', () => {
    expect(after(null, { price: null, stock: null })).toEqual({
      missing: { stock: 1 },
      isOpen: true,
      newly: [],
      warnings: [],
    })
    expect(after({ price: 1 }, { price: null, stock: '3' })).toEqual({
      missing: { price: 2 },
      isOpen: true,
      newly: [],
      warnings: [],
    })
  })

  test('the third warns and closes the count; more do not count on, and warn again', () => {
    for (const known of [2, 3])
      expect(after({ price: known }, { price: null, stock: '3' })).toEqual({
        missing: { price: 3 },
        isOpen: false,
        newly: known === 2 ? ['price'] : [],
        warnings: [expect.stringContaining('"price"')],
      })
  })

  test('a value ends its own count and no other', () => {
    expect(after({ price: 2 }, { price: '1', stock: null })).toEqual({
      missing: { stock: 1 },
      isOpen: true,
      newly: [],
      warnings: [],
    })
  })

  test('a field that is absent is missing; names of Object.prototype are only names', () => {
    expect(
      vanished({ before: { constructor: 'a' }, missing: {}, after: {}, names: ['constructor', 'toString'] }),
    ).toEqual({
      missing: { constructor: 1 },
      isOpen: true,
      newly: [],
      warnings: [],
    })
  })
})

describe('runs whose field has vanished', () => {
  let world: QueueWorld
  let site: Site
  let worker: RunningWorker | undefined
  beforeAll(async () => {
    world = await openQueueWorld()
  })
  beforeEach(async () => {
    site = await openSite()
  })
  afterEach(async () => {
    await worker?.[Symbol.asyncDispose]()
    worker = undefined
    await site[Symbol.asyncDispose]()
    await world.query('update checks set due_at = null, next_run_at = null, run_id = null')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const OTHER = '<p class="stock">7</p>'
  const WARNED = [expect.stringMatching(/^The field "price" had a value and has been missing for three runs/)]

  async function watching(options: MonitorOptions = {}) {
    const extract = { method: 'css', fields: { price: '.price', stock: '.stock' } }
    const [no = 0] = await world.monitors(await world.team(), { url: site.url, extract, ...options })
    worker = await startWorker({ url: world.url, secrets: world.secrets })
    await runs(no, 1)
    return no
  }
  const runs = (no: number, count: number) =>
    eventually(
      () => world.runs(no),
      (seen) => seen.length >= count,
    )
  async function next(no: number) {
    const { length } = await world.runs(no)
    await world.makeDue()
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

  test('a page that answers 304 to its validators is asked without them until it is told', async () => {
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

  test('a field that comes back in time is not told; it counts anew', async () => {
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

  test('a field that never had a value is told by the first run alone', async () => {
    site.answer(html('<p class="price">$1</p>'))
    const no = await watching()
    const [first] = await world.runs(no)
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
})
