import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { failTimes, makeDue, stopChecks } from '../../support/database/check-states.ts'
import { type MonitorOptions, openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { openSite, type Site } from '../../support/network/site.ts'
import { openTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RunningWorker, startWorker } from '../../support/worker/check-worker.ts'

/** One database for the tests of a file, and for each of them a page and a worker: what a run is to tell of. */
export function givenNotices() {
  let database: QueueDatabase
  let site: Site
  let proxy: TcpProxy
  let worker: RunningWorker | undefined
  let wakes = 0
  beforeAll(async () => {
    database = await openQueueDatabase()
    proxy = await openTcpProxy(database.url)
  })
  beforeEach(async () => {
    site = await openSite()
    wakes = 0
  })
  afterEach(async () => {
    proxy.mend()
    await worker?.[Symbol.asyncDispose]()
    worker = undefined
    await site[Symbol.asyncDispose]()
    await stopChecks(database, 'all')
  })
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
  return {
    get database() {
      return database
    },
    get site() {
      return site
    },
    /** Between the worker and the database. */
    get proxy() {
      return proxy
    },
    get worker() {
      return worker
    },
    /** How often the loop of notices was woken. */
    get wakes() {
      return wakes
    },
    /** A monitor that has failed so many times in a row, due now, and whose page is that of the site. */
    async failedBefore(failures: number, options: MonitorOptions = {}) {
      const team = await database.team()
      const [no = 0] = await database.monitors(team, { url: site.url, dueSeconds: -60, ...options })
      await failTimes(database, no, failures)
      return { team, no }
    },
    async start() {
      worker = await startWorker({
        url: proxy.url,
        secrets: database.secrets,
        onNotices: () => void (wakes += 1),
      })
    },
    /** Makes the monitor due, and returns its run. */
    async next(no: number) {
      const { length } = await database.runs(no)
      await makeDue(database, no)
      worker?.loop.wake()
      const runs = await eventually(
        () => database.runs(no),
        (seen) => seen.length > length,
      )
      return runs.at(-1)
    },
    notices: (no: number) =>
      database.query<{ kind: string; run_id: string; isDue: boolean }>(
        `select kind, run_id, due_at <= clock() as "isDue" from notice_events where monitor_no = $1 order by run_id`,
        [no],
      ),
  }
}
