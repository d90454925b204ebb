import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Reading } from '../../../runners/check/reading.ts'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import type { FetchMethod } from '../../../schema/run/run.ts'
import type { Values } from '../../../schema/shape/json.ts'
import { openQueueWorld, type QueueWorld } from '../../store/queue/queue-world.ts'
import { type RunningWorker, startWorker } from '../../support/check-worker.ts'
import { eventually } from '../../support/eventually.ts'

let world: QueueWorld
let worker: RunningWorker | undefined
beforeAll(async () => {
  world = await openQueueWorld()
})
afterEach(async () => {
  await worker?.[Symbol.asyncDispose]()
  worker = undefined
  await world.query('update checks set due_at = null, next_run_at = null, run_id = null')
})
afterAll(() => world[Symbol.asyncDispose]())

/** What the next check of the monitor reads. */
let next: Reading
const read = (fetchMethod: FetchMethod, values: Values): Reading => ({
  kind: 'values',
  fetchMethod,
  mark: { etag: null, lastModified: null, bodyHash: Buffer.from('0123456789abcdef') },
  values,
  warnings: [],
})

/** A monitor of two fields, and a function that lets it read something and returns the run. */
async function watching(extract: ExtractConfig = { method: 'css', fields: { price: 'b', stock: 'i' } }) {
  const deliveries = [{ type: 'webhook', url: 'http://127.0.0.1:1/hook' }] as const
  const predicate = { type: 'any_field_changes' }
  const [no = 0] = await world.monitors(await world.team(), { extract, predicate, deliveries, dueSeconds: -3_000 })
  worker = await startWorker({ url: world.url, secrets: world.secrets, around: async () => next })
  let count = 0
  return async (method: FetchMethod, values: Values) => {
    next = read(method, values)
    count += 1
    await world.query('update checks set due_at = clock(), next_run_at = clock() where no = $1', [no])
    worker?.loop.wake()
    const runs = await eventually(
      () => world.runs(no),
      (seen) => seen.length === count,
    )
    const run = runs.at(-1)
    if (!run) throw new Error('no run')
    return run
  }
}

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

test('the third equal one in a row becomes the baseline without firing; a change after it fires', async () => {
  const check = await watching()
  await check('browser', FULL)
  const lacking = { price: '', stock: '3' }
  for (let nth = 0; nth < 3; nth += 1) expect(await check('proxy', lacking)).toMatchObject(SILENT)
  expect(await check('proxy', { price: '$2', stock: '3' })).toMatchObject({
    diff: { before: { price: '' }, after: { price: '$2' } },
    delivery_triggered: true,
  })
})

test('readings that differ from each other, or are interrupted, are not three equal ones', async () => {
  const check = await watching()
  await check('browser', FULL)
  await check('proxy', { price: null, stock: '3' })
  await check('proxy', { price: null, stock: null })
  await check('proxy', { price: null, stock: '3' })
  await check('browser', FULL)
  await check('proxy', { price: null, stock: '3' })
  await check('proxy', { price: null, stock: '3' })
  // The baseline is still that of the browser.
  expect(await check('browser', FULL)).toMatchObject(SILENT)
})

test('what another layer reads differently is a change, and so is what the same layer lacks', async () => {
  const check = await watching()
  await check('browser', FULL)
  const changed = await check('proxy', { price: '$2', stock: '3' })
  expect(changed).toMatchObject({ diff: { before: { price: '$1' }, after: { price: '$2' } }, delivery_triggered: true })
  const gone = await check('proxy', { price: null, stock: '3' })
  expect(gone).toMatchObject({ diff: { after: { price: null } }, delivery_triggered: true })
})

test('the hash of a whole page is compared among rendered pages, and set anew after the first layer', async () => {
  const check = await watching({ method: 'full_page' })
  await check('static', { content_hash: 'a' })
  const rendered = await check('browser', { content_hash: 'b' })
  expect(rendered).toMatchObject(SILENT)
  expect(rendered.warnings?.join()).toContain('cannot be compared')
  expect(await check('proxy', { content_hash: 'b' })).toMatchObject(SILENT)
  expect(await check('proxy', { content_hash: 'c' })).toMatchObject({
    diff: { before: { content_hash: 'b' }, after: { content_hash: 'c' } },
    delivery_triggered: true,
  })
})
