import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WORK_KINDS } from '../../../boot/kinds.ts'
import { createLogger } from '../../../core/logger.ts'
import type { CheckSource } from '../../../runners/check/check-source.ts'
import type { Task } from '../../../runners/check/task.ts'
import { createCheckLoop } from '../../../runners/loop/check-loop.ts'
import { createCheckMetrics } from '../../../runners/loop/check-metrics.ts'
import { createPatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { storeOutage } from '../../../store/db/store-fault.ts'
import { createPostgresCheckSource } from '../../../worker/queue/postgres-check-source.ts'
import { createRecorder } from '../../../worker/record/recorder.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { eventually } from '../../support/run/eventually.ts'

const MONITORS = 1_000
const FAULT = { code: 'timeout', message: 'Late.' } as const

let database: QueueDatabase
const patterns = createPatternMatcher()
beforeAll(async () => {
  database = await openQueueDatabase()
})
afterAll(async () => {
  await patterns.close()
  await database[Symbol.asyncDispose]()
})

test('many checks of a host that answers at once may be due: none is put off once its pace is known', async () => {
  const { store, secrets } = database
  await database.monitors(await database.team(), { count: MONITORS, url: 'http://127.0.0.1:1000/' })
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
  const source = createPostgresCheckSource({
    kinds: WORK_KINDS,
    store,
    secrets,
    recorder,
    queues: ['static'],
    leaseMs: 60_000,
  })
  const done = new Set<number>()
  let putOff = 0
  const counting: CheckSource = {
    ...source,
    async release(tasks, delayMs) {
      if (done.size > 0) putOff += tasks.length
      await source.release(tasks, delayMs)
    },
  }
  const loop = createCheckLoop({
    source: counting,
    async check(task: Task) {
      await new Promise((resolve) => setImmediate(resolve))
      done.add(task.no)
      return { kind: 'failed', fetchMethod: 'static', fault: FAULT, retryAfterMs: 0 }
    },
    log,
    outage: storeOutage(log),
    metrics: createCheckMetrics(new Registry()),
    leaseMs: 60_000,
    concurrency: 32,
    perHost: 2,
    idleMs: 20,
  })
  onTestFinished(() => loop.drain(1_000))
  loop.start()
  await eventually(
    () => done.size,
    (size) => size === MONITORS,
  )
  // What the first claims, of 256 each, brought beyond the line of a host of no known pace comes again after a second.
  // Without a known pace it is over 3,000.
  expect(putOff).toBeLessThan(MONITORS)
})
