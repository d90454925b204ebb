import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WORK_KINDS } from '../../../boot/kinds.ts'
import { createLogger } from '../../../core/logger.ts'
import type { Reading } from '../../../runners/check/reading.ts'
import type { Task } from '../../../runners/check/task.ts'
import { type CheckLoop, createCheckLoop } from '../../../runners/loop/check-loop.ts'
import { createCheckMetrics } from '../../../runners/loop/check-metrics.ts'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { storeOutage } from '../../../store/db/store-fault.ts'
import { createPostgresCheckSource } from '../../../worker/queue/postgres-check-source.ts'
import { createRecorder } from '../../../worker/record/recorder.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { eventually } from '../../support/run/eventually.ts'

let database: QueueDatabase
let loop: CheckLoop | undefined
const patterns = createPatternMatcher()
beforeAll(async () => {
  database = await openQueueDatabase()
})
afterEach(async () => {
  await loop?.drain(0)
  await stopChecks(database, 'all')
})
afterAll(async () => {
  await patterns.close()
  await database[Symbol.asyncDispose]()
})

/** A loop that claims what it has places for; its checks end when the test says so. */
function start(concurrency: number, perHost: number) {
  const { store, secrets } = database
  const log = createLogger('silent')
  const recorder = createRecorder({
    kinds: WORK_KINDS,
    store,
    secrets,
    patterns,
    log,
    onDeliveries: () => {},
    patienceMs: 1_000,
  })
  const under = new Map<Task, (reading: Reading) => void>()
  loop = createCheckLoop({
    source: createPostgresCheckSource({
      kinds: WORK_KINDS,
      store,
      secrets,
      recorder,
      queues: ['browser'],
      leaseMs: 60_000,
    }),
    check: (task, signal) =>
      new Promise((resolve) => {
        under.set(task, resolve)
        signal.addEventListener('abort', () => resolve({ kind: 'abandoned' }))
      }),
    log,
    outage: storeOutage(log),
    metrics: createCheckMetrics(new Registry()),
    leaseMs: 60_000,
    concurrency,
    perHost,
    claimsAhead: false,
    idleMs: 20,
  })
  loop.start()
  return under
}
const claimed = async () => (await database.leases()).filter(({ seconds }) => seconds > 30).length
const FAILED: Reading = {
  kind: 'failed',
  fetchMethod: 'browser',
  fault: { code: 'timeout', message: 'Late.' },
  retryAfterMs: 0,
}

test('a loop that claims nothing ahead has a check a slot, and the next as soon as one ends', async () => {
  const team = await database.team()
  for (let n = 0; n < 8; n++) await database.monitors(team, { queue: 'browser', url: `http://127.0.0.1:${1000 + n}/` })
  const under = start(3, 2)
  await eventually(
    () => under.size,
    (size) => size === 3,
  )
  expect(await claimed()).toBe(3)
  for (let ended = 1; ended <= 3; ended++) {
    const [task, end] = [...under][0] ?? []
    if (!task || !end) throw new Error('nothing is under way')
    under.delete(task)
    end(FAILED)
    await eventually(
      () => under.size,
      (size) => size === 3,
    )
    // The one that ended is held until it is recorded.
    await eventually(claimed, (count) => count === 3)
  }
  expect(loop?.sinceProgress()).toBeLessThan(5_000)
})

test(
  'what is due at one host beyond its cap is left to others: a host that hangs does not take the places of the ' +
    'rest.',
  async () => {
    const team = await database.team()
    await database.monitors(team, { queue: 'browser', url: 'http://127.0.0.1:1/', count: 20, dueSeconds: 60 })
    const others = [
      ...(await database.monitors(team, { queue: 'browser', url: 'http://127.0.0.1:2/' })),
      ...(await database.monitors(team, { queue: 'browser', url: 'http://127.0.0.1:3/' })),
    ]
    const under = start(4, 2)
    await eventually(
      () => [...under.keys()].map(({ no }) => no),
      (nos) => others.every((no) => nos.includes(no)),
    )
    expect(under.size).toBe(4)
    await eventually(claimed, (count) => (count ?? 0) <= 6)
  },
)
