import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Reading } from '../../../runners/check/reading.ts'
import type { Task } from '../../../runners/check/task.ts'
import { googlePage, openSearchedEngines, type SearchedEngines } from '../../support/browser/searched-engines.ts'
import { endLeases, failTimes, makeDue, raiseFence } from '../../support/database/check-states.ts'
import { openTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts'
import { eventually } from '../../support/run/eventually.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let engines: SearchedEngines
let proxy: TcpProxy
beforeAll(async () => {
  engines = await openSearchedEngines()
  proxy = await openTcpProxy(engines.database.url)
  engines.answer(() => googlePage(['https://example.com/']))
})
afterAll(async () => {
  await engines[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

const dueNow = (...numbers: number[]) => makeDue(engines.database, numbers)

test('the fifth failure of a search and its recovery are written down for the destinations', async () => {
  const no = await engines.add(await engines.database.team(), { notifyOn: ['failing', 'recovered'] })
  await using _ = await engines.work()
  engines.answer(() => ({ status: 500, html: '' }))
  await failTimes(engines.database, no, 4)
  await engines.check(no)
  engines.answer(() => googlePage(['https://example.com/']))
  await engines.check(no)
  expect(
    await engines.database.query('select kind, detail from notice_events where monitor_no = $1 order by run_id', [no]),
  ).toEqual([
    { kind: 'failing', detail: { consecutive_failures: 5 } },
    { kind: 'recovered', detail: {} },
  ])
})

test('two workers of one exit never have two checks of one engine under way', async () => {
  const team = await engines.database.team()
  let active = 0
  let most = 0
  const around = async (_: Task, go: () => Promise<Reading>) => {
    most = Math.max(most, ++active)
    return go().finally(() => (active -= 1))
  }
  const numbers = await Promise.all(Array.from({ length: 6 }, () => engines.add(team)))
  await using one = await engines.work({ around })
  await using other = await engines.work({ around })
  await dueNow(...numbers)
  await eventually(
    () => engines.database.runs(numbers),
    (runs) => new Set(runs.map((run) => run.monitor_no)).size === 6,
  )
  expect(most).toBe(1)
  expect([...one.log, ...other.log]).toEqual([])
})

test('a store that goes away during a check gets its outcome once it is back, once, and the exit is free', async () => {
  const team = await engines.database.team()
  const no = await engines.add(team)
  let isCut = false
  const around = async (_: Task, go: () => Promise<Reading>) => {
    // Once: on a busy machine the check may be made again.
    if (!isCut) proxy.cut()
    isCut = true
    return go()
  }
  await using worker = await engines.work({ url: proxy.url, around })
  await dueNow(no)
  await eventually(
    () => worker.log.join(''),
    (said) => said.length > 0,
  )
  expect(await engines.runs(no)).toEqual([])
  proxy.mend()
  const runs = await eventually(
    () => engines.runs(no),
    ({ length }) => length > 0,
  )
  expect(runs).toMatchObject([{ status: 'success', target_rank: 1 }])
  expect(await engines.database.usage(team)).toMatchObject({ runs_used: 1 })
  await eventually(
    () => engines.database.query('select from serp_exits where busy_until is not null'),
    ({ length }) => length === 0,
  )
})

test('an edit during a check ends its result; the exit is free when the lease would have ended', async () => {
  const team = await engines.database.team()
  const no = await engines.add(team)
  let edited = false
  const around = async (_: Task, go: () => Promise<Reading>) => {
    const reading = await go()
    if (!edited) await raiseFence(engines.database, no)
    edited = true
    return reading
  }
  await using worker = await engines.work({ around })
  await dueNow(no)
  await eventually(
    () => edited,
    (is) => is,
  )
  await endLeases(engines.database, no)
  await engines.database.query("update serp_exits set busy_until = busy_until - interval '1 minute'")
  // Its due time was that of the lease, which is over now: the check is made again.
  const runs = await eventually(
    () => engines.runs(no),
    ({ length }) => length > 0,
  )
  expect(runs).toMatchObject([{ status: 'success' }])
  expect(worker.log).toEqual([])
})
