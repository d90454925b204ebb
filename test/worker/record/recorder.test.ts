import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { beginRun, endLeases, stopChecks } from '../../support/database/check-states.ts'
import { type MonitorOptions, openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { html, openSite, pageOf, type Site, status } from '../../support/network/site.ts'
import { openTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RunningWorker, startWorker, type WorkerOptions } from '../../support/worker/check-worker.ts'

let database: QueueDatabase
let site: Site
let proxy: TcpProxy
let worker: RunningWorker | undefined
beforeAll(async () => {
  database = await openQueueDatabase()
  proxy = await openTcpProxy(database.url)
})
beforeEach(async () => {
  site = await openSite()
})
afterEach(async () => {
  proxy.mend()
  await worker?.[Symbol.asyncDispose]()
  worker = undefined
  await site[Symbol.asyncDispose]()
  await database.setClock('0')
  await stopChecks(database, 'all')
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const HOOK: DeliveryConfig = { type: 'webhook', url: 'http://127.0.0.1:1/hook' }

/** A worker over the proxy, and one monitor of the site. */
async function watching(options: MonitorOptions = {}, more: Partial<WorkerOptions> = {}) {
  const team = await database.team()
  const [no = 0] = await database.monitors(team, { url: site.url, deliveries: [HOOK], ...options })
  worker = await startWorker({ url: proxy.url, secrets: database.secrets, ...more })
  await run(no, 1)
  return { team, no, worker }
}

/** Waits for so many runs of the monitor; answers the last. */
async function run(no: number, count: number) {
  const runs = await eventually(
    () => database.runs(no),
    (seen) => seen.length >= count,
  )
  expect(runs).toHaveLength(count)
  const last = runs.at(-1)
  if (!last) throw new Error('no run')
  return last
}

async function next(no: number) {
  const before = (await database.runs(no)).length
  await database.makeDue()
  worker?.loop.wake()
  return run(no, before + 1)
}

const outbox = (no: number) => database.deliveries(no)

test('the first run sets the baseline silently; a change fires and tells before and after', async () => {
  const { no } = await watching()
  expect(await database.runs(no)).toMatchObject([{ extracted: { price: '$1' }, diff: null, delivery_triggered: false }])
  site.price('$2')
  const changed = await next(no)

  const diff = { fields_changed: ['price'], before: { price: '$1' }, after: { price: '$2' } }
  expect(changed).toMatchObject({ status: 'success', extracted: { price: '$2' }, diff, delivery_triggered: true })
  const [sent, ...more] = await outbox(no)
  expect(more).toEqual([])
  expect(JSON.parse(sent?.payload ?? '')).toMatchObject({
    version: '2026-05-01',
    run_id: changed.id,
    diff,
    monitor: { url: site.url },
  })
})

test('items that a list gained between two checks are all in the message; items that leave fire nothing', async () => {
  const items = (...titles: string[]) => html(titles.map((title) => `<li>${title}</li>`).join(''))
  site.answer(items('Weather', 'Fire'))
  const extract = { method: 'css', fields: { items: 'li[]', newest: 'li' } }
  const { no } = await watching({ extract, predicate: { type: 'list_gains_items', field: 'items' } })
  site.answer(items('Storm', 'Ferry', 'Weather'))
  expect(await next(no)).toMatchObject({ delivery_triggered: true })
  const [sent] = await outbox(no)
  expect(JSON.parse(sent?.payload ?? '')).toMatchObject({
    diff: { fields_changed: ['items', 'newest'], after: { items: ['Storm', 'Ferry', 'Weather'], newest: 'Storm' } },
    lists: { items: { added: ['Storm', 'Ferry'], removed: ['Fire'], moved: [], added_count: 2, removed_count: 1 } },
  })
  site.answer(items('Weather', 'Storm'))
  expect(await next(no)).toMatchObject({ diff: { fields_changed: ['items', 'newest'] }, delivery_triggered: false })
  expect(await outbox(no)).toHaveLength(1)
})

test('a message to people knows which fields the predicate reads as numbers; a webhook does not', async () => {
  const slack: DeliveryConfig = { type: 'slack', webhookUrl: 'http://127.0.0.1:1/chat' }
  const numeric = { type: 'field_increases_by_absolute', field: 'price', threshold: 1 }
  const predicate = { type: 'composite', operator: 'OR', conditions: [numeric, { type: 'any_field_changes' }] }
  const { no } = await watching({ predicate, deliveries: [HOOK, slack] })
  site.price('$2')
  await next(no)
  const sent = (await outbox(no)).map(
    ({ payload }) => (JSON.parse(payload) as { numeric_fields?: string[] }).numeric_fields,
  )
  expect(sent).toEqual(expect.arrayContaining([['price'], undefined]))
})

test('a failed run neither fires nor changes the baseline: the same values after it are no change', async () => {
  const { no } = await watching()
  site.answer(status(500))
  expect(await next(no)).toMatchObject({
    status: 'error',
    error_code: 'http_status',
    diff: null,
    delivery_triggered: false,
  })
  site.answer(html(pageOf('$1', '<p>other bytes</p>')))
  expect(await next(no)).toMatchObject({ status: 'success', diff: null, extracted: null })
  expect(await outbox(no)).toEqual([])
})

test('a page that was not modified is asked for with its validators and keeps the baseline', async () => {
  const seen: (string | undefined)[][] = []
  site.answer((response, request) => {
    const given = [request.headers['if-none-match'], request.headers['if-modified-since']]
    seen.push(given)
    const headers = { 'content-type': 'text/html', etag: '"v1"', 'last-modified': 'Sat, 21 Nov 2026 10:00:00 GMT' }
    if (given[0] === '"v1"') response.writeHead(304, headers).end()
    else response.writeHead(200, headers).end(pageOf('$1'))
  })
  const { no } = await watching()
  const first = (await database.runs(no))[0]
  expect(await next(no)).toMatchObject({ status: 'success', reading_id: first?.id })
  expect(await next(no)).toMatchObject({ status: 'success', reading_id: first?.id })
  const validators = ['"v1"', 'Sat, 21 Nov 2026 10:00:00 GMT']
  expect(seen).toEqual([[undefined, undefined], validators, validators])
})

test('the same bytes are not read again; other bytes with the same values are no change', async () => {
  const { no } = await watching()
  const first = (await database.runs(no))[0]
  expect(await next(no)).toMatchObject({ reading_id: first?.id, extracted: null })
  site.answer(html(pageOf('  $1\n', '<p>an advertisement</p>')))
  expect(await next(no)).toMatchObject({ reading_id: first?.id, extracted: null, diff: null })
  expect(await outbox(no)).toEqual([])
})

test('Retry-After of a target puts off the next run', async () => {
  const { no } = await watching()
  site.answer(status(429, { 'retry-after': '1800' }))
  expect(await next(no)).toMatchObject({ status: 'error', error_code: 'blocked' })
  const { next_ms, now_ms, due_ms } = await database.check(no)
  expect((next_ms ?? 0) - now_ms).toBeGreaterThan(1_790_000)
  expect(due_ms).toBe(next_ms)
})

const EVIL = { type: 'field_matches_regex', field: 'price', pattern: '^(a+)+$' } as const
const STUCK = `${'a'.repeat(40)}!`

test('a run that hangs on a pattern that takes too long fails, keeps the baseline, and holds up nobody', async () => {
  const also = { type: 'field_matches_regex', field: 'price', pattern: '^sold out$' } as const
  const predicate = { type: 'composite', operator: 'OR', conditions: [EVIL, also] } as const
  const { no, team } = await watching({ predicate }, { patternMs: 400 })
  const others = await database.monitors(team, { url: site.url, count: 5, dueSeconds: -3_000 })
  site.price(STUCK)
  await database.makeDue()
  await Promise.all(others.map((other) => run(other, 1)))
  const slow = await run(no, 2)
  expect(slow).toMatchObject({ status: 'error', error_code: 'extract_timeout', delivery_triggered: false, diff: null })
  expect(slow.error_message).toContain('"^(a+)+$" took too long')
  expect(await outbox(no)).toEqual([])

  // The change is not lost: it is told against the value from before it.
  site.price('sold out')
  const diff = { fields_changed: ['price'], before: { price: '$1' }, after: { price: 'sold out' } }
  expect(await next(no)).toMatchObject({ status: 'success', delivery_triggered: true, diff })
})

test('a pattern after one that takes too long is tried too: if it matches, the run fires with a warning', async () => {
  const also = { type: 'field_matches_regex', field: 'price', pattern: '!$' } as const
  const predicate = { type: 'composite', operator: 'OR', conditions: [EVIL, also] } as const
  const { no } = await watching({ predicate }, { patternMs: 400 })
  site.price(STUCK)
  const later = await next(no)
  expect(later).toMatchObject({ status: 'success', delivery_triggered: true, diff: { fields_changed: ['price'] } })
  expect(later.warnings?.join()).toContain('took too long; the outcome did not hang on it')
})

test('a row that the store refuses becomes an error run; the rest of its batch is recorded', async () => {
  const { no, team } = await watching()
  const others = await database.monitors(team, { url: site.url, count: 30, dueSeconds: -3_000 })
  await database.query(
    `alter table baselines add constraint picky check (extracted->>'price' <> 'refused' or no <> ${no}) not valid`,
  )
  site.price('refused')
  await database.makeDue()
  const bad = await run(no, 2)
  const good = await Promise.all(others.map((other) => run(other, 1)))
  await database.query('alter table baselines drop constraint picky')

  expect(bad).toMatchObject({ status: 'error', error_code: 'internal', extracted: null })
  expect(bad.error_message).toContain('could not be stored')
  expect(new Set(good.map((one) => one.status))).toEqual(new Set(['success']))
})

test('NUL and halves of characters in a value are kept as replacement characters', async () => {
  const json = '{"price":"a\\u0000b\\ud800","list":["\\\\u0000 as text"]}'
  site.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(json))
  const { no } = await watching({ extract: { method: 'json_path', fields: { price: '$.price', list: '$.list' } } })
  expect((await database.runs(no))[0]?.extracted).toEqual({ price: 'a\ufffdb\ufffd', list: ['\\u0000 as text'] })
  site.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`${json} `))
  expect(await next(no)).toMatchObject({ status: 'success', diff: null, extracted: null })
})

test('a store that is away for two seconds loses nothing and doubles nothing', async () => {
  const { no, team, worker: running } = await watching()
  const others = await database.monitors(team, { url: site.url, count: 20, dueSeconds: -3_000 })
  const open: (() => void)[] = []
  site.answer((response, request, nth) => void open.push(() => html(pageOf('$2'))(response, request, nth)))
  await database.makeDue()
  // One place of the host's eight is kept for other teams.
  await eventually(
    () => open.length,
    (n) => n === 7,
  )
  proxy.cut()
  for (const answer of open.splice(0)) answer()
  site.price('$2')
  await eventually(
    () => running.log.filter((line) => line.includes('the store is away')).length,
    (n) => n > 0,
  )
  proxy.mend()

  expect(await run(no, 2)).toMatchObject({ delivery_triggered: true })
  for (const other of others) await run(other, 1)
  expect(await outbox(no)).toHaveLength(1)
  expect(site.requests).toHaveLength(22)
  expect((await database.usage(team)).runs_used).toBe(22)
})

test('a record whose answer was lost is tried again and counts once', async () => {
  const { no, team } = await watching()
  site.price('$2')
  const before = proxy.resets
  proxy.swallowAnswerTo('record_readings')
  expect(await next(no)).toMatchObject({ delivery_triggered: true })
  await eventually(
    () => proxy.resets,
    (n) => n === before + 1,
  )
  site.price('$3')
  expect(await next(no)).toMatchObject({ diff: { before: { price: '$2' } } })
  expect(await outbox(no)).toHaveLength(2)
  expect(await database.check(no)).toMatchObject({ runs_total: 3, run_id: null })
  expect((await database.usage(team)).runs_used).toBe(3)
})

test('a clock that jumps five months ahead loses no run: its month gets a partition when it is needed', async () => {
  const { no } = await watching()
  await database.setClock('150 days')
  expect(await next(no)).toMatchObject({ status: 'success', extracted: { price: '$1' } })
  await database.setClock('330 days')
  site.answer(status(500))
  expect(await next(no)).toMatchObject({ status: 'error' })
})

test('a run that waited for months before its check has the longest wait that fits', async () => {
  const team = await database.team()
  const [no = 0] = await database.monitors(team, { url: site.url, dueSeconds: -3_000 })
  await beginRun(database, no, 40)
  worker = await startWorker({ url: proxy.url, secrets: database.secrets })
  await endLeases(database, no)
  expect(await run(no, 1)).toMatchObject({ status: 'success', start_offset_ms: 2 ** 31 - 1 })
})

test('where deliveries cannot be decrypted, a change is an error that says so, and fires once they can', async () => {
  const { no, worker: first } = await watching()
  await first.stop(1_000)
  site.price('$2')
  worker = await startWorker({ url: proxy.url, secrets: createSecretBox('another key of a test') })
  const sealed = await next(no)
  expect(sealed).toMatchObject({ status: 'error', error_code: 'not_available', delivery_triggered: false })
  expect(sealed.error_message).toContain('set deliveries again')
  await worker.stop(1_000)

  worker = await startWorker({ url: proxy.url, secrets: database.secrets })
  expect(await next(no)).toMatchObject({ status: 'success', delivery_triggered: true })
})

test('where request headers cannot be decrypted, nothing is fetched and the run says so', async () => {
  const team = await database.team()
  const [no = 0] = await database.monitors(team, { url: site.url, headers: { 'x-key': 'k' } })
  worker = await startWorker({ url: proxy.url, secrets: createSecretBox('another key of a test') })
  const sealed = await run(no, 1)
  expect(sealed).toMatchObject({ status: 'error', error_code: 'not_available' })
  expect(sealed.error_message).toContain('set request_headers again')
  expect(site.requests).toEqual([])
})
