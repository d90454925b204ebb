import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { readingHash } from '../../../core/diff/reading-hash.ts'
import type { Reading } from '../../../runners/check/reading.ts'
import type { PageTask, Task } from '../../../runners/check/task.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import type { FetchMethod } from '../../../schema/run/run.ts'
import type { Values } from '../../../schema/shape/json.ts'
import type { Baseline } from '../../../store/queue/baselines.ts'
import { byLayer, layersThatRead } from '../../../worker/record/by-layer.ts'
import { makeDue, stopChecks } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase, type SeenRun } from '../../support/database/queue-database.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RunningWorker, startWorker } from '../../support/worker/check-worker.ts'

let database: QueueDatabase
let worker: RunningWorker | undefined
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(async () => {
  worker = await startWorker({ url: database.url, secrets: database.secrets, around: async (task) => read(task) })
})
afterEach(async () => {
  await worker?.[Symbol.asyncDispose]()
  worker = undefined
  await stopChecks(database, 'all')
})
afterAll(() => database[Symbol.asyncDispose]())

/** What the layer of the next check sends, and what is read of it. */
interface Answer extends Partial<Extract<Reading, { kind: 'values' }>> {
  readonly body?: string
  /** The site says that its page is the one with this validator. */
  readonly etag?: string
}

/** What the next check of each monitor reads. */
const next = new Map<number, { method: FetchMethod; values: Values; answer: Answer }>()

/** As a check does: the same bytes, or the validator that it sent, end it before anything is read. */
function read(task: Task): Reading {
  const found = next.get(task.no)
  if (!found || task.kind !== 'page') throw new Error('nothing was given to read')
  const { method: fetchMethod, values, answer } = found
  const { body = JSON.stringify([fetchMethod === 'static', values]), etag = null, ...more } = answer
  const bodyHash = createHash('sha256').update(body).digest().subarray(0, 16)
  // A page that was rendered, here also through the proxy, has no validator.
  const mark = { etag: fetchMethod === 'static' ? etag : null, lastModified: null, bodyHash }
  const { last } = task as PageTask
  const isNotModified = fetchMethod === 'static' && etag !== null && last?.etag === etag
  if (isNotModified || (last?.bodyHash && bodyHash.equals(last.bodyHash)))
    return { kind: 'unchanged', fetchMethod, mark }
  return { kind: 'values', fetchMethod, mark, values, warnings: [], ...more }
}

interface Check {
  (method: FetchMethod, values: Values, answer?: Answer): Promise<SeenRun>
  /** The number of the monitor. */
  readonly no: number
}

interface Watched {
  readonly extract?: ExtractConfig
  readonly predicate?: DiffPredicate
}

/** A monitor of two fields, and a function that lets it read something and returns the run. */
async function watching({ extract = TWO_FIELDS, predicate = ANY }: Watched = {}): Promise<Check> {
  const deliveries = [{ type: 'webhook', url: 'http://127.0.0.1:1/hook' }] as const
  const [no = 0] = await database.monitors(await database.team(), {
    extract,
    predicate,
    deliveries,
    dueSeconds: -3_000,
  })
  let count = 0
  const check = async (method: FetchMethod, values: Values, answer: Answer = {}) => {
    next.set(no, { method, values, answer })
    count += 1
    await makeDue(database, no)
    worker?.loop.wake()
    const runs = await eventually(
      () => database.runs(no),
      (seen) => seen.length === count,
    )
    const run = runs.at(-1)
    if (!run) throw new Error('no run')
    return run
  }
  return Object.assign(check, { no })
}

const TWO_FIELDS: ExtractConfig = { method: 'css', fields: { price: 'b', stock: 'i' } }
const ANY: DiffPredicate = { type: 'any_field_changes' }
const FULL = { price: '$1', stock: '3' }
const SILENT = { status: 'success', diff: null, delivery_triggered: false }

test('a reading of another layer that lacks fields keeps the baseline: neither it nor the way back fires', async () => {
  const check = await watching()
  await check('browser', FULL)
  const kept = await check('proxy', { price: null, stock: '3' })
  expect(kept).toMatchObject({ ...SILENT, extracted: { price: null, stock: '3' } })
  expect(kept.warnings?.join()).toContain('another layer (proxy) than before (browser)')
  expect(await check('browser', FULL)).toMatchObject(SILENT)
  expect(await check('browser', { ...FULL, price: '$2' })).toMatchObject({
    diff: { before: { price: '$1' }, after: { price: '$2' } },
    delivery_triggered: true,
  })
})

test('a layer that shows less is compared with itself: what it shows first fires', async () => {
  const check = await watching()
  await check('browser', FULL)
  const lacking = { price: '', stock: '3' }
  for (let nth = 0; nth < 4; nth += 1) expect(await check('proxy', lacking)).toMatchObject(SILENT)
  expect(await check('proxy', { price: '$2', stock: '3' })).toMatchObject({
    diff: { before: { price: '$1' }, after: { price: '$2' } },
    delivery_triggered: true,
  })
  expect(await check('browser', { price: '$2', stock: '3' })).toMatchObject(SILENT)
})

test('what another layer reads differently is a change, and so is what the same layer lacks', async () => {
  const check = await watching()
  await check('browser', FULL)
  const changed = await check('proxy', { price: '$2', stock: '3' })
  expect(changed).toMatchObject({ diff: { before: { price: '$1' }, after: { price: '$2' } }, delivery_triggered: true })
  const gone = await check('proxy', { price: null, stock: '3' })
  expect(gone).toMatchObject({ diff: { after: { price: null } }, delivery_triggered: true })
})

test('what each layer writes in its own way fires once, and is then compared with that layer alone', async () => {
  const check = await watching()
  const own = (price: number, stock: string) => ({
    static: { price: `$${price}`, stock },
    browser: { price: `${price} USD`, stock },
  })
  await check('static', own(1, '3').static)
  expect(await check('browser', own(1, '3').browser)).toMatchObject({ delivery_triggered: true })
  for (const method of ['static', 'browser', 'static'] as const)
    expect(await check(method, own(1, '3')[method])).toMatchObject(SILENT)
  expect(await check('static', own(2, '3').static)).toMatchObject({
    diff: { before: { price: '$1' }, after: { price: '$2' } },
    delivery_triggered: true,
  })
  const told = await check('browser', own(2, '3').browser)
  expect(told).toMatchObject(SILENT)
  expect(told.warnings?.join()).toContain('another layer (browser) than before (static), and differs: "price"')
  expect(await check('browser', own(3, '3').browser)).toMatchObject({ diff: { before: { price: '2 USD' } } })
  expect(await check('static', own(3, '4').static)).toMatchObject({ diff: { fields_changed: ['stock'] } })
})

test('a value that goes back fires once layers have agreed; those that disagree then keep their own', async () => {
  const check = await watching()
  await check('static', FULL)
  expect(await check('browser', FULL)).toMatchObject(SILENT)
  expect(await check('browser', { ...FULL, price: '$2' })).toMatchObject({ delivery_triggered: true })
  expect(await check('static', FULL)).toMatchObject({
    diff: { before: { price: '$2' }, after: { price: '$1' } },
    delivery_triggered: true,
  })
  expect(await check('browser', { ...FULL, price: '$2' })).toMatchObject(SILENT)
  expect(await check('static', FULL)).toMatchObject(SILENT)
})

test('what a layer loses fires, also where the last reading of another layer never had it', async () => {
  const check = await watching()
  const poorer = { price: null, stock: '3' }
  await check('browser', FULL)
  // After three of them the next check may see its page as unchanged.
  for (let nth = 0; nth < 4; nth += 1) expect(await check('static', poorer)).toMatchObject(SILENT)
  expect(await check('browser', poorer)).toMatchObject({
    diff: { before: { price: '$1' }, after: { price: null } },
    delivery_triggered: true,
  })
  expect(await check('static', poorer)).toMatchObject(SILENT)
})

test('a condition on a field that this layer does not see is tested with what another one has read', async () => {
  const predicate: DiffPredicate = {
    type: 'composite',
    operator: 'AND',
    conditions: [
      { type: 'field_changes', field: 'stock' },
      { type: 'field_equals', field: 'price', value: '$1' },
    ],
  }
  const check = await watching({ predicate })
  await check('browser', FULL)
  expect(await check('static', { price: null, stock: '3' })).toMatchObject(SILENT)
  expect(await check('static', { price: null, stock: '4' })).toMatchObject({ delivery_triggered: true })
})

test('the hash of a whole page is compared among rendered pages, and set anew after the first layer', async () => {
  const check = await watching({ extract: { method: 'full_page' } })
  await check('static', { content_hash: 'a' })
  const rendered = await check('browser', { content_hash: 'b' })
  expect(rendered).toMatchObject(SILENT)
  expect(rendered.warnings?.join()).toContain('differs: "content_hash". That is not sent.')
  expect(await check('proxy', { content_hash: 'b' })).toMatchObject(SILENT)
  expect(await check('proxy', { content_hash: 'c' })).toMatchObject({
    diff: { before: { content_hash: 'b' }, after: { content_hash: 'c' } },
    delivery_triggered: true,
  })
})

test.each(['static', 'browser', 'proxy'] as const)(
  'after another layer read the same, what %s loses is a change of the page',
  async (method) => {
    const check = await watching()
    await check('static', FULL)
    for (const same of ['browser', 'proxy', 'static'] as const) expect(await check(same, FULL)).toMatchObject(SILENT)
    expect(await check(method, { ...FULL, price: null })).toMatchObject({
      diff: { before: { price: '$1' }, after: { price: null } },
      delivery_triggered: true,
    })
  },
)

test('a layer that sent the same bytes is known to have read the same', async () => {
  const check = await watching()
  const feed = { body: '<rss/>', isAsSent: true }
  await check('static', FULL, feed)
  expect(await check('browser', FULL, feed)).toMatchObject(SILENT)
  expect(await check('browser', { ...FULL, price: null })).toMatchObject({ delivery_triggered: true })
})

test('a direct request that read the same beside a browser is known to have read it', async () => {
  const check = await watching()
  await check('browser', FULL)
  expect(await check('browser', FULL, { body: 'other bytes', remember: 'static' })).toMatchObject(SILENT)
  expect(await check('static', { ...FULL, price: null })).toMatchObject({ delivery_triggered: true })
  await check('browser', { price: '$2', stock: '4' }, { remember: 'static' })
  expect(await check('static', { price: '$2', stock: null })).toMatchObject({ delivery_triggered: true })
})

test('the way back to a layer that sees more does not fire, and neither does the way after it', async () => {
  const check = await watching()
  await check('browser', FULL)
  const poorer = { price: null, stock: '3' }
  for (let nth = 0; nth < 4; nth += 1)
    expect(await check('static', poorer)).toMatchObject({ delivery_triggered: false })
  expect(await check('browser', FULL)).toMatchObject({ ...SILENT, warnings: null })
  expect(await check('static', poorer)).toMatchObject(SILENT)
  expect(await check('browser', { ...FULL, price: '$2' })).toMatchObject({
    diff: { before: { price: '$1' }, after: { price: '$2' } },
    delivery_triggered: true,
  })
})

test('a change that comes with another layer fires without what the layer alone lacks', async () => {
  const check = await watching()
  await check('browser', FULL)
  expect(await check('proxy', { price: null, stock: '4' })).toMatchObject({
    diff: { fields_changed: ['stock'], before: { stock: '3' }, after: { stock: '4' } },
    delivery_triggered: true,
  })
  expect(await check('browser', { price: '$1', stock: '4' })).toMatchObject(SILENT)
})

test('what a layer showed before and lacks now is a change, also when another layer was read between', async () => {
  const check = await watching()
  await check('browser', FULL)
  await check('proxy', { price: null, stock: '4' })
  expect(await check('proxy', { price: null, stock: null })).toMatchObject({
    diff: { fields_changed: ['stock'], after: { stock: null } },
    delivery_triggered: true,
  })
})

test('a whole page whose text is watched, or whose answer is not HTML, is compared over layers', async () => {
  const readable = await watching({ extract: { method: 'full_page', ignore: {} } })
  await readable('static', { content_hash: 'a' }, { pageText: 'Terms\n30 days' })
  const changed = await readable('browser', { content_hash: 'b' }, { pageText: 'Terms\n14 days' })
  expect(changed).toMatchObject({ delivery_triggered: true })
  expect(await readable('static', { content_hash: 'b' }, { pageText: 'Terms\n14 days' })).toMatchObject(SILENT)
  const again = await readable('static', { content_hash: 'c' }, { pageText: 'Terms\n7 days' })
  expect(again).toMatchObject({ delivery_triggered: true })

  const data = await watching({ extract: { method: 'full_page' } })
  await data('static', { content_hash: 'a' }, { isAsSent: true })
  expect(await data('browser', { content_hash: 'b' }, { isAsSent: true })).toMatchObject({ delivery_triggered: true })
})

test('lines of a page that another layer read last are compared with the text that was read last', async () => {
  const readable = { method: 'full_page', ignore: {} } as const
  const predicate = { type: 'lines_added', field: 'content_hash', pattern: '^Fee' } as const
  const check = await watching({ extract: readable, predicate })
  const drawn = 'Terms\nFee, written by a script\n30 days'
  await check('static', { content_hash: 'a' }, { pageText: 'Terms\n30 days' })
  expect(await check('browser', { content_hash: 'b' }, { pageText: drawn })).toMatchObject(SILENT)
  const other = await check('static', { content_hash: 'c' }, { pageText: 'Terms\n14 days' })
  expect(other).toMatchObject({ delivery_triggered: false, warnings: null })
  expect(await check('browser', { content_hash: 'd' }, { pageText: `${drawn}\nFees rise` })).toMatchObject({
    delivery_triggered: true,
  })
  const fee = await check('static', { content_hash: 'e' }, { pageText: 'Terms\n14 days\nFee' })
  expect(fee).toMatchObject({ delivery_triggered: true, warnings: null })
})

test('a text of which a layer only sees more or less does not fire', async () => {
  const check = await watching({ extract: { method: 'full_page', ignore: {} } })
  await check('static', { content_hash: 'a' }, { pageText: 'Terms\n30 days' })
  const more = { pageText: 'Terms\nWritten by a script\n30 days' }
  expect(await check('browser', { content_hash: 'b' }, more)).toMatchObject(SILENT)
  expect(await check('static', { content_hash: 'a' }, { pageText: 'Terms\n30 days' })).toMatchObject(SILENT)
  expect(await check('browser', { content_hash: 'b' }, more)).toMatchObject(SILENT)
  expect(await check('browser', { content_hash: 'c' }, { pageText: 'Terms\n14 days' })).toMatchObject({
    delivery_triggered: true,
  })
})

describe('a list of which a layer only sees fewer items', () => {
  const list = (...items: string[]): Values => ({ price: '$1', items })
  const gains: DiffPredicate = { type: 'list_gains_items', field: 'items' }
  const watchingList = (predicate: DiffPredicate = ANY) =>
    watching({ extract: { method: 'css', fields: { price: 'b', items: 'li[]' } }, predicate })

  test('keeps the baseline: neither it nor the way back fires', async () => {
    for (const predicate of [ANY, gains]) {
      const check = await watchingList(predicate)
      await check('browser', list('a', 'b', 'c'))
      const kept = await check('proxy', list('a', 'b'))
      expect(kept).toMatchObject(SILENT)
      expect(kept.warnings?.join()).toContain('another layer (proxy) than before (browser)')
      expect(await check('browser', list('a', 'b', 'c'))).toMatchObject(SILENT)
      expect(await check('proxy', list('a', 'b'))).toMatchObject(SILENT)
      expect(await check('proxy', list('n', 'a', 'b'))).toMatchObject({ delivery_triggered: true })
    }
  })

  test('does not fire on the way back, however often it was read', async () => {
    const check = await watchingList(gains)
    await check('browser', list('a', 'b', 'c'))
    for (let n = 0; n < 3; n++) expect(await check('proxy', list('a', 'b'))).toMatchObject(SILENT)
    expect(await check('browser', list('a', 'b', 'c'))).toMatchObject(SILENT)
    expect(await check('browser', list('n', 'a', 'b', 'c'))).toMatchObject({ delivery_triggered: true })
  })

  test('fires when a feed gains items in the very check that another layer makes', async () => {
    const check = await watchingList(gains)
    const feed = (...items: string[]) => ({ isAsSent: true, body: items.join() })
    await check('static', list('a', 'b'), feed('a', 'b'))
    expect(await check('browser', list('n', 'a', 'b'), feed('n', 'a', 'b'))).toMatchObject({
      diff: { before: { items: ['a', 'b'] }, after: { items: ['n', 'a', 'b'] } },
      delivery_triggered: true,
    })
    expect(await check('static', list('n', 'a', 'b'), feed('n', 'a', 'b'))).toMatchObject(SILENT)
    // What is missing for this layer alone is still no change.
    expect(await check('proxy', list('n', 'a'), feed('n', 'a'))).toMatchObject(SILENT)
    expect(await check('static', list('n', 'a', 'b'), feed('n', 'a', 'b'))).toMatchObject(SILENT)
  })

  describe('of a feed of which a proxy is sent a shorter variant', () => {
    const feed = (...items: string[]) => [list(...items), { isAsSent: true, body: items.join() }] as const
    const direct = feed('a', 'b', 'c', 'd')
    const regional = feed('b', 'd')

    test('does not fire on the way back, and fires for what comes then', async () => {
      for (const predicate of [ANY, gains]) {
        const check = await watchingList(predicate)
        await check('static', ...direct)
        for (let n = 0; n < 4; n++) expect(await check('proxy', ...regional)).toMatchObject(SILENT)
        expect(await check('static', ...direct)).toMatchObject(SILENT)
        expect(await check('proxy', ...regional)).toMatchObject(SILENT)
        expect(await check('static', ...direct)).toMatchObject(SILENT)
        const more = feed('n', 'a', 'b', 'c', 'd')
        expect(await check('static', ...more)).toMatchObject({ delivery_triggered: true })
        // A third layer is compared as ever.
        expect(await check('browser', ...feed('o', 'n', 'a', 'b', 'c', 'd'))).toMatchObject({
          delivery_triggered: true,
        })
      }
    })

    test('does not fire on the way back either when the variant changed meanwhile, which fires', async () => {
      const check = await watchingList(gains)
      await check('static', ...direct)
      for (let n = 0; n < 3; n++) expect(await check('proxy', ...regional)).toMatchObject(SILENT)
      expect(await check('proxy', ...feed('n', 'b', 'd'))).toMatchObject({ delivery_triggered: true })
      expect(await check('static', ...feed('n', 'a', 'b', 'c', 'd'))).toMatchObject(SILENT)
    })

    test('does not fire when the proxy made the first check', async () => {
      const check = await watchingList(gains)
      await check('proxy', ...regional)
      expect(await check('proxy', ...feed('n', 'b', 'd'))).toMatchObject({ delivery_triggered: true })
      const more = await check('static', ...feed('n', 'a', 'b', 'c', 'd'))
      expect(more).toMatchObject(SILENT)
      expect(more.warnings?.join()).toContain('differs: "items"')
      expect(await check('proxy', ...feed('n', 'b', 'd'))).toMatchObject(SILENT)
      expect(await check('static', ...feed('o', 'n', 'a', 'b', 'c', 'd'))).toMatchObject({ delivery_triggered: true })
    })

    test('fires for a third layer once a direct request has read what the proxy read first', async () => {
      for (const same of [{ body: 'other bytes' }, {}]) {
        const check = await watchingList(gains)
        await check('proxy', ...regional)
        expect(await check('static', regional[0], { ...regional[1], ...same })).toMatchObject({
          delivery_triggered: false,
        })
        expect(await check('browser', ...feed('n', 'b', 'd'))).toMatchObject({ delivery_triggered: true })
        expect(await check('proxy', ...feed('o', 'n', 'b', 'd'))).toMatchObject({ delivery_triggered: true })
      }
    })
  })

  test('becomes longer without firing when a layer that is not known sees more, and not the second time', async () => {
    const check = await watchingList(gains)
    await check('static', list('a'))
    const more = await check('browser', list('a', 'b'))
    expect(more).toMatchObject(SILENT)
    expect(more.warnings?.join()).toContain('differs: "items"')
    expect(await check('static', list('a'))).toMatchObject(SILENT)
    expect(await check('browser', list('a', 'b', 'c'))).toMatchObject({ delivery_triggered: true })
  })
})

test('what a pattern finds in HTML as it was sent and in a rendered page is not compared', async () => {
  const check = await watching({ extract: { method: 'regex', fields: { price: 'data-price="(.*?)"' } } })
  await check('static', { price: '1&nbsp;€' })
  const other = await check('browser', { price: '1 €' })
  expect(other).toMatchObject(SILENT)
  expect(other.warnings?.join()).toContain('differs: "price". That is not sent.')
  expect(await check('browser', { price: '2 €' })).toMatchObject({ delivery_triggered: true })
  expect(await check('proxy', { price: '3 €' })).toMatchObject({ delivery_triggered: true })
  expect(await check('static', { price: '3&nbsp;€' })).toMatchObject(SILENT)
  expect(await check('browser', { price: '3 €' })).toMatchObject(SILENT)
  expect(await check('static', { price: '4&nbsp;€' })).toMatchObject({ delivery_triggered: true })
  const feed = await watching({ extract: { method: 'regex', fields: { price: 'price: (.*)' } } })
  await feed('static', { price: '1 €' }, { isAsSent: true })
  expect(await feed('browser', { price: '2 €' }, { isAsSent: true })).toMatchObject({ delivery_triggered: true })
})

describe('over any layers', () => {
  const layers = fc.constantFrom<FetchMethod>('static', 'browser', 'proxy')

  /** What a layer reads of a version of a page. Only those that render see the price. */
  const seen = (method: FetchMethod, stock: number, price: number): Values => ({
    stock: `${stock}`,
    price: method === 'static' ? null : `$${price}`,
  })

  /** The layer of a check, and whether the stock and the price have changed before it. */
  const steps = fc.array(fc.tuple(layers, fc.boolean(), fc.boolean()), { minLength: 3, maxLength: 15 })

  /** Returns the names of the fields that a check tells of. The site's validator is that of the version. */
  type Tells = (method: FetchMethod, values: Values, etag: string) => Promise<readonly string[]>

  /** Reads versions of a page one after another. Throws at a run that tells what it should not, or the other way. */
  async function readAll(sequence: readonly (readonly [FetchMethod, boolean, boolean])[], tells: Tells) {
    const last: { stock?: number; price?: number } = {}
    let [stock, price] = [0, 0]
    for (const [at, [method, ...moves]] of sequence.entries()) {
      stock += Number(moves[0])
      price += Number(moves[1])
      const isNewPrice = method !== 'static' && (last.price ?? price) !== price
      const news = [...(isNewPrice ? ['price'] : []), ...((last.stock ?? stock) === stock ? [] : ['stock'])]
      const told = await tells(method, seen(method, stock, price), `"${stock} ${price}"`)
      expect(told, `run ${at} of ${JSON.stringify(sequence)}`).toEqual(news)
      last.stock = stock
      if (method !== 'static') last.price = price
    }
  }

  /** Compares readings as a recorder does, with the state of the store in memory. */
  function inMemory(): Tells {
    let baseline: Pick<Baseline, 'read_by' | 'layers'> = { read_by: 0, layers: null }
    let before: Values | null = null
    const order = ['price', 'stock']
    const task = { kind: 'page', extract: TWO_FIELDS } as PageTask
    return async (fetchMethod, after) => {
      const about = { task, reading: { fetchMethod }, baseline, texts: async () => null }
      const isSame = before !== null && readingHash(after).equals(readingHash(before))
      if (isSame && (layersThatRead({ fetchMethod }) & ~baseline.read_by) === 0) return []
      const verdict = await byLayer({ ...about, before, after })
      baseline = verdict
      before = after
      return (verdict.before && diffValues(verdict.before, verdict.after, order)?.fields_changed) ?? []
    }
  }

  const RULE = 'a change fires once, when a layer that sees it first reads the page, and nothing else fires'

  test(`in memory ${RULE}`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, (sequence) => readAll(sequence, inMemory())),
      { numRuns: 1_000 },
    )
  })

  test(`in the store ${RULE}`, async () => {
    const stored = async (): Promise<Tells> => {
      const check = await watching()
      return async (method, values, etag) => (await check(method, values, { etag })).diff?.fields_changed ?? []
    }
    // The sequences are read side by side, because each run of a worker takes its time.
    await Promise.all(fc.sample(steps, 20).map(async (sequence) => readAll(sequence.slice(0, 7), await stored())))
  })

  test('what each layer reads in its own way fires at most once for each layer after the first', async () => {
    const value = fc.oneof(fc.constantFrom(null, '', '$1', '1 €'), fc.array(fc.constantFrom('a', 'b', 'c')))
    const page = fc.record({ static: value, browser: value, proxy: value })
    await fc.assert(
      fc.asyncProperty(page, fc.array(layers, { maxLength: 30 }), async (ways, sequence) => {
        const tells = inMemory()
        const told: string[] = []
        for (const method of sequence) told.push(...(await tells(method, { price: ways[method] }, '')))
        expect(told.length).toBeLessThan(Math.max(1, new Set(sequence).size))
      }),
      { numRuns: 1_000 },
    )
  })
})
