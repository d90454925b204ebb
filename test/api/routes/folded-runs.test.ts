import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTextDiffer } from '../../../runners/text-diff/text-differ.ts'
import { foldRuns } from '../../../store/maintenance/fold-runs.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedBaseline, seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { runStatement } from '../../support/database/stored-rows.ts'

const HISTORIES = Number(process.env['TIDEMARK_TEST_HISTORIES'] ?? 3)
const RUNS = 160
/** So that they cover six days, of which four are folded. */
const MINUTES_APART = 54

let served: ServedApi
const differ = createTextDiffer()
beforeAll(async () => {
  served = await serveApi('unlimited', { differ })
})
afterAll(async () => {
  await served.close()
  await differ.close()
})

/** Returns the same numbers between 0 and 1 for a seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Stores a history of mostly unchanged runs, and returns their ids, the oldest first. */
async function seedHistory(monitorId: string, seed: number): Promise<readonly string[]> {
  const next = numbers(seed)
  const { services } = served.api
  const ids: string[] = []
  let price = 20
  let readingId = ''
  for (let nth = RUNS; nth > 0; nth -= 1) {
    const at = { age: `${nth * MINUTES_APART} minutes`, durationMs: Math.floor(next() * 900), startOffsetMs: nth }
    const kind = readingId === '' ? 1 : next()
    const fetchMethod = next() < 0.04 ? 'proxy' : 'static'
    if (kind < 0.8) ids.push(await seedRun(services, monitorId, { ...at, fetchMethod, readingId }))
    else if (kind < 0.85) ids.push(await seedRun(services, monitorId, { ...at, status: 'error', errorCode: 'timeout' }))
    else if (kind < 0.88) ids.push(await seedRun(services, monitorId, { ...at, status: 'skipped' }))
    else if (kind < 0.92)
      ids.push(await seedRun(services, monitorId, { ...at, fetchMethod, readingId, warnings: ['The page is long.'] }))
    else {
      const before = { price: `$${price}` }
      price += 1
      const extracted = { price: `$${price}` }
      const found = readingId !== '' && {
        diff: { fields_changed: ['price'], before, after: extracted },
        change: { fields: [{ field: 'price', before: before.price, after: extracted.price }], more: 0 },
      }
      readingId = await seedRun(services, monitorId, { ...at, fetchMethod, extracted, ...found })
      ids.push(readingId)
    }
  }
  await seedBaseline(services, monitorId, { price: `$${price}` })
  return ids
}

/** What reads the runs of a monitor, with each of the filters. */
function pathsOf(monitorId: string, ids: readonly string[], seed: number): readonly string[] {
  const next = numbers(seed + 7)
  const some = () => ids[Math.floor(next() * ids.length)] ?? ''
  const ago = () => new Date(Date.now() - next() * RUNS * MINUTES_APART * 60_000).toISOString()
  const monitor = `/v1/monitors/${monitorId}`
  const [first, second] = [ago(), ago()].sort()
  const now = new Date().toISOString()
  const filters = [
    ...Array.from({ length: 10 }, (_, page) => `limit=11&page=${page + 1}`),
    ...['success', 'error', 'skipped'].map((status) => `status=${status}&limit=50`),
    `status=success&from=${first}&to=${second}`,
    `from=${first}&limit=3`,
    `to=${second}&limit=9&page=2`,
    'changed=true',
    'fired=true',
    'fired=false&limit=7',
    ...Array.from({ length: 8 }, () => `before=${some()}&limit=6`),
    ...Array.from({ length: 8 }, () => `after=${some()}&limit=6`),
    `after=${some()}&before=${some()}&status=success`,
  ]
  const looked = Array.from({ length: 25 }, some)
  return [
    ...filters.map((filter) => `${monitor}/runs?${filter}`),
    ...ids.map((id) => `/v1/runs/${id}`),
    ...looked.flatMap((id) => [`/v1/runs/${id}/diff`, `/v1/runs/${id}/diff?against=${some()}`]),
    ...looked.slice(0, 5).map((id) => `/v1/runs/${id}/diff?against=seen`),
    // Without an end, it is that of now.
    ...[`to=${now}`, `from=${first}&to=${second}`, `from=${second}&to=${now}`].map(
      (query) => `${monitor}/series?${query}`,
    ),
    `${monitor}/history?format=json`,
    monitor,
    '/v1/changes?limit=50',
    '/v1/overview?sort=name',
  ]
}

/** Returns what each address is answered with. */
async function answersOf(paths: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {}
  for (const path of paths) {
    const { status, body } = await served.me.get(path)
    answers[path] = { status, body: body.error ? body.error.message : body }
  }
  return answers
}

const fold = () => foldRuns(served.api.services.store, new AbortController().signal)

describe('runs of past days that are folded', () => {
  test.each(Array.from({ length: HISTORIES }, (_, n) => [n + 1]))(
    'are read as before, by every route, in history %d',
    async (seed) => {
      const { id } = await createMonitor(served.me)
      const ids = await seedHistory(id, seed)
      await served.me.post('/v1/changes/seen', { until: ids[40], monitor_ids: [id] })
      const paths = pathsOf(id, ids, seed)
      const before = await answersOf(paths)
      // The days were folded for the history before.
      await runStatement(served.api, 'delete from folded_days')
      expect(await fold()).toBeGreaterThan(20)
      await runStatement(served.api, 'delete from folded_days')
      expect(await fold()).toBe(0)
      expect(await answersOf(paths)).toEqual(before)
      // A run that was folded can be marked up to, as any other.
      expect((await served.me.post('/v1/changes/seen', { until: ids[20], monitor_ids: [id] })).status).toBe(204)
    },
  )
})
