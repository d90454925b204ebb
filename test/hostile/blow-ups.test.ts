import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { check } from '../../runners/check/check.ts'
import { createExtractor } from '../../runners/extract/pool/pool.ts'
import { createPageReader } from '../../runners/fetch/paging/page-reader.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import { createPolicy } from '../../egress/policy.ts'
import { openQueueWorld, type QueueWorld } from '../store/queue/queue-world.ts'
import { eventually } from '../support/eventually.ts'
import { openSite, type Site } from '../support/site.ts'
import { type RunningWorker, startWorker } from '../support/check-worker.ts'
import { rawServer } from '../egress/raw-server.ts'
import { MONITOR, pathsOf, serveApi, type ServedApi } from '../spec/support.ts'
import { BLOW_UPS, DEADLINE_MS, FIRST_BYTE_MS } from './blow-ups.ts'

/** As a worker has them, but for the deadlines. */
const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }), {
  firstByteMs: FIRST_BYTE_MS,
})
const extractor = createExtractor({ threads: 1 })
const pages = createPageReader()

let world: QueueWorld
let team: string
let good: Site
let worker: RunningWorker
beforeAll(async () => {
  world = await openQueueWorld()
  team = await world.team()
  good = await openSite()
  worker = await startWorker({
    url: world.url,
    secrets: world.secrets,
    around: (task) =>
      check(task, { agent, extractor, pages, signal: new AbortController().signal, deadlineMs: DEADLINE_MS }),
  })
})
afterEach(() => world.query('update checks set due_at = null, next_run_at = null'))
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await agent.destroy()
  await extractor.close()
  await pages.close()
  await good[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function runOf(url: string, extract: object) {
  const [no = 0] = await world.monitors(team, { url, extract })
  worker.loop.poke()
  const [run] = await eventually(
    () => world.runs(no),
    (runs) => runs.length > 0,
  )
  if (!run) throw new Error('there is no run')
  return run
}

describe('a check of', () => {
  test.each(BLOW_UPS.map((row) => [row.what, row] as const))('%s', async (_what, row) => {
    await using server = await rawServer(row.serve)
    // Bombs are made when they are first asked for, and that is not the check's time.
    await fetch(`http://127.0.0.1:${server.port}/`, { signal: AbortSignal.timeout(50) }).catch(() => null)
    const run = await runOf(`http://127.0.0.1:${server.port}/`, row.extract)
    expect([row.comesTo].flat()).toContain(run.error_code ?? 'success')
    expect(run.duration_ms).toBeLessThan(row.withinMs)
    if (run.error_code === null) {
      expect(run.status).toBe('success')
      if (row.value !== undefined) expect(run.extracted).toMatchObject({ it: row.value })
    } else {
      expect(run.error_message).toMatch(/^[A-Z`"\d].+[.:] .+\.$/)
      if (row.says) expect(run.error_message).toMatch(row.says)
    }
    // Whoever comes next is served: the process lives, and so do its threads.
    const next = await runOf(good.url, { method: 'css', fields: { price: '.price' } })
    expect(next).toMatchObject({ status: 'success', extracted: { price: '$1' } })
    expect(worker.log).toEqual([])
  })
})

describe('a rule that is too much for its engine is refused when it is saved:', () => {
  let served: ServedApi
  beforeAll(async () => {
    served = await serveApi()
  })
  afterAll(() => served.close())

  test.each([
    ['an XPath in 5,000 parentheses', 'xpath', `${'('.repeat(5_000)}1${')'.repeat(5_000)}`],
    ['an XPath in 51 parentheses', 'xpath', `${'('.repeat(51)}1${')'.repeat(51)}`],
    ['5,000 `:not(` in one another', 'css', `${':not('.repeat(5_000)}p${')'.repeat(5_000)}`],
    ['51 `:not(` in one another', 'css', `${':not('.repeat(51)}p${')'.repeat(51)}`],
    ['a list of 10,000 selectors', 'css', Array<string>(10_000).fill('p').join()],
    ['a list of 51 selectors', 'css', Array<string>(51).fill('p').join()],
    ['a JSONPath in 51 brackets', 'json_path', `$${'[?@'.repeat(51)}${']'.repeat(51)}`],
    ['a pattern of 1,001 characters', 'regex', 'a'.repeat(1_001)],
    ['XPath functions that read files', 'xpath', "document('file:///etc/passwd')"],
  ])('%s', async (_what, method, rule) => {
    const extract_config = { method, fields: { it: rule } }
    expect(pathsOf(await served.me.post('/v1/monitors', { ...MONITOR, extract_config }))).toEqual([
      'extract_config.fields.it',
    ])
  })
})
