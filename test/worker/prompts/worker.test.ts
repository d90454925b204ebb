import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ModelSettings } from '../../../boot/parts/model.ts'
import { stopChecks, takeBack } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { openSite, type Site } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RunningWorker, startWorker } from '../../support/worker/check-worker.ts'
import { complete, type ModelServer, openModelServer, refuse } from './model-server.ts'

let database: QueueDatabase
let site: Site
let model: ModelServer
let workers: RunningWorker[] = []
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(async () => {
  ;[site, model] = await Promise.all([openSite(), openModelServer()])
})
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
  workers = []
  await Promise.all([site[Symbol.asyncDispose](), model[Symbol.asyncDispose]()])
  await stopChecks(database, 'all')
  await database.query('delete from prompt_answers')
})
afterAll(() => database[Symbol.asyncDispose]())

const EXTRACT = { method: 'prompt', prompt: 'What does it cost?' }

async function start(leaseMs = 60_000, settings: Partial<ModelSettings> = {}): Promise<RunningWorker> {
  const worker = await startWorker({
    url: database.url,
    secrets: database.secrets,
    leaseMs,
    perHost: 500,
    model: { LLM_BASE_URL: model.baseUrl, ...settings },
  })
  workers.push(worker)
  return worker
}

async function monitor(): Promise<{ team: string; no: number }> {
  const team = await database.team()
  const [no = 0] = await database.monitors(team, { url: site.url, extract: EXTRACT })
  return { team, no }
}

const used = async (team: string) =>
  (await database.query<{ n: number }>('select llm_calls_used::int as n from team_usage where team_id = $1', [team]))[0]
    ?.n
const ended = (no: number) =>
  eventually(
    () => database.runs(no),
    (runs) => runs.length > 0,
  )

test('a check keeps its lease for as long as the model thinks, and its run lasts that long', async () => {
  const { no } = await monitor()
  model.says((_, __, response) => void setTimeout(() => complete(response, '$1'), 5_500))
  // Long enough for a heartbeat that a busy machine holds up.
  await start(2_500, { TIDEMARK_LLM_TIMEOUT_SECONDS: 60 })
  const [run, ...more] = await ended(no)
  expect(more).toEqual([])
  expect(run).toMatchObject({ status: 'success', extracted: { result: '$1' } })
  expect(run?.duration_ms).toBeGreaterThanOrEqual(5_400)
  expect(model.questions).toHaveLength(1)
  expect(await database.check(no)).toMatchObject({ fence: 1, run_id: null })
})

test(
  'a check that is taken away while the model thinks stops waiting; its call is given back and nothing is ' +
    'recorded.',
  async () => {
    const { no, team } = await monitor()
    model.says(() => {})
    await start(1_000, { TIDEMARK_LLM_TIMEOUT_SECONDS: 60 })
    await expect.poll(() => model.questions.length).toBe(1)
    expect(await used(team)).toBe(1)
    await takeBack(database, no)
    await expect.poll(() => model.load.now).toBe(0)
    await expect.poll(() => used(team)).toBe(0)
    expect(await database.runs(no)).toEqual([])
  },
)

test('a worker that stops gives the check back; the next one asks and records it under the same run id', async () => {
  const { no, team } = await monitor()
  model.says(() => {})
  const first = await start()
  await expect.poll(() => model.questions.length).toBe(1)
  const { run_id: runId } = await database.check(no)
  await first.stop(50)
  expect(await used(team)).toBe(0)
  expect(await database.check(no)).toMatchObject({ run_id: runId })
  model.says('$1')
  await start()
  expect(await ended(no)).toMatchObject([{ id: runId, extracted: { result: '$1' } }])
  expect(await used(team)).toBe(1)
})

test('a line that is full holds no more pages: further checks are given back for a moment', async () => {
  const team = await database.team()
  const nos = await database.monitors(team, { url: site.url, extract: EXTRACT, count: 300 })
  site.answer((response, __, nth) => void response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${nth}`))
  model.says(() => {})
  await start(60_000, { TIDEMARK_LLM_CONCURRENCY: 1 })
  const given = async () => (await database.leases()).filter(({ no, fence }) => nos.includes(no) && fence >= 2)
  // One is with the model, 256 wait. What was given back is due again after a second: its fence may be higher.
  await expect.poll(async () => (await given()).length).toBe(300 - 257)
  expect(await database.runs(nos[0] ?? 0)).toEqual([])
  expect(model.load.most).toBe(1)
})

test('a check that the model failed waits while the model is left alone, however long that asked for', async () => {
  const { no } = await monitor()
  model.says((_, __, response) => refuse(response, 429, 'slow down', { 'retry-after': '7200' }))
  await start()
  expect(await ended(no)).toMatchObject([{ status: 'error', error_code: 'model_busy' }])
  const check = await database.check(no)
  // The model is one for all monitors, and asked again after five minutes: who waited its two hours would wait for
  // nothing.
  expect((check.next_ms ?? 0) - check.now_ms).toBeGreaterThan(290_000)
  expect((check.next_ms ?? 0) - check.now_ms).toBeLessThanOrEqual(360_000)
})

test('prompts wait for the model while other checks go on as always', async () => {
  const team = await database.team()
  await database.monitors(team, { url: site.url, extract: EXTRACT, count: 60 })
  model.says(() => {})
  await start(60_000, { TIDEMARK_LLM_TIMEOUT_SECONDS: 60 })
  await expect.poll(() => model.questions.length).toBe(4)
  const plain = await database.monitors(team, { url: site.url, count: 100 })
  await eventually(
    () => Promise.all(plain.map((no) => database.runs(no))),
    (runs) => runs.every((of) => of.length === 1),
  )
  // The model has not said a word.
  expect(model.questions).toHaveLength(4)
})
