import { expect, test } from 'vitest'
import { createDnsLookup } from '../../egress/dns-lookup.ts'
import { createResolver } from '../../egress/resolve.ts'
import { openNameServer } from '../egress/name-server.ts'
import { takeBack } from '../support/database/check-states.ts'
import { openQueueDatabase } from '../support/database/queue-database.ts'
import { rawServer } from '../support/network/raw-server.ts'
import { html, openSite } from '../support/network/site.ts'
import { until } from '../support/run/until.ts'
import { startWorker } from '../support/worker/check-worker.ts'

const VICTIMS = 40
const INTERVAL = 1
const CONCURRENCY = 128
/** As a worker has it. */
const IDLE_MS = 250
/** Ten seconds: a moment in which the machine does something else is less than a twentieth of them. */
const MEASURED = 10 * VICTIMS
/** What else is checked: names whose servers never answer, or sites that accept a connection and never answer. */
const SILENT = [
  { teams: 1, each: 150, what: 'names' },
  { teams: 10, each: 100, what: 'names' },
  { teams: 10, each: 200, what: 'sites' },
] as const
/** What counts: a fifth more than alone. */
const MAX_RISE = 1.2
/** Whatever else the machine does makes both later: the best of a few pairs is compared. */
const MAX_PAIRS = 8

type Lateness = readonly number[]
const p95 = (all: Lateness) => all.toSorted((a, b) => a - b)[Math.ceil(all.length * 0.95) - 1] ?? Number.NaN
const best = (all: readonly Lateness[]) => Math.min(...all.map(p95))

test.each(SILENT)(
  '$each silent $what of each of $teams teams make the checks of another team no later, and fail none of them',
  async ({ teams, each, what }) => {
    await using closing = new AsyncDisposableStack()
    const database = closing.use(await openQueueDatabase())
    const site = closing.use(await openSite())
    site.answer(html('<p class="price">1</p>'))
    const names = closing.use(
      await openNameServer((name) => (name.endsWith('.silent.test') ? 'silence' : ['127.0.0.1'])),
    )
    const { port } = new URL(site.url)
    const silent = closing.use(await rawServer(() => {}))
    const victim = await database.team()
    const monitorsOf = async (team: string, domain: string, many: number, dueSeconds: number) => {
      const nos: number[] = []
      for (let n = 0; n < many; n++)
        nos.push(...(await database.monitors(team, { url: `http://n${n}.${domain}/`, dueSeconds })))
      return nos
    }
    const nos = await monitorsOf(victim, `good.test:${port}`, VICTIMS, 0)
    const hogs: number[] = []
    for (let n = 0; n < teams; n++) {
      const domain = what === 'names' ? `t${n}.silent.test:${port}` : `t${n}.good.test:${silent.port}`
      hogs.push(...(await monitorsOf(await database.team(), domain, each, -86_400)))
    }
    // The API allows no interval below a minute; the queue does. They are due one after the other.
    await database.query(
      `update checks c set interval_seconds = $2, due_at = d.at, next_run_at = d.at
       from (select no, clock() + make_interval(secs => $2 * row_number() over () / $3::float8) as at
         from unnest($1::bigint[]) no) d
       where c.no = d.no`,
      [nos, INTERVAL, VICTIMS],
    )

    let ended: number[] = []
    let underWay = 0
    // The cache is off: every check of the victim looks its name up.
    const lookup = createDnsLookup({ servers: [names.address], hosts: '/dev/null', resolvConf: '/dev/null' })
    closing.use(
      await startWorker({
        url: database.url,
        secrets: database.secrets,
        concurrency: CONCURRENCY,
        idleMs: IDLE_MS,
        resolver: createResolver({ lookup, cacheMs: 0 }),
        around: async (task, go) => {
          underWay++
          const reading = await go().finally(() => underWay--)
          const now = task.claimedMs + performance.now() - task.claimedAt
          if (task.team === victim && task.dueMs !== null) ended.push(now - task.dueMs)
          return reading
        },
      }),
    )
    const measure = async (): Promise<Lateness> => {
      ended = []
      await until(
        async () => ended.length,
        (done) => done >= MEASURED,
        60_000,
      )
      return ended
    }
    const letLoose = () =>
      database.query(
        `update checks set failures = 0, due_at = clock(), next_run_at = clock()
         where no = any($1) and run_id is null and coalesce(due_at, 'infinity') > clock()`,
        [hogs],
      )
    const codesOf = async (of: readonly number[]) => [
      ...new Set((await database.runs(of)).map((run) => run.error_code)),
    ]
    const isSome = (rows: readonly unknown[]) => rows.length > 0

    // Everybody has been read once.
    await measure()
    const alone: Lateness[] = []
    const beside: Lateness[] = []
    do {
      alone.push(await measure())
      await letLoose()
      await using again = every(500, letLoose)
      await until(
        async () => (await database.leases()).filter(({ no }) => hogs.includes(no)),
        // A worker claims no more of a team than it may soon start.
        (claimed) => claimed.length >= Math.min(hogs.length, CONCURRENCY),
      )
      beside.push(await measure())
      await again[Symbol.asyncDispose]()
      if (what === 'names') await until(() => codesOf(hogs), isSome, 60_000)
      await takeBack(database, hogs)
      await until(
        async () => underWay,
        (count) => count <= VICTIMS,
        60_000,
      )
    } while (best(beside) > best(alone) * MAX_RISE && alone.length < MAX_PAIRS)

    process.stdout.write(
      `${VICTIMS} checks a second, p95 of the end after the due time: alone ${best(alone).toFixed(0)} ms, beside ` +
        `${each} silent ${what} of each of ${teams} teams ${best(beside).toFixed(0)} ms\n`,
    )
    expect(best(beside)).toBeLessThanOrEqual(best(alone) * MAX_RISE)
    // The message says which step of a check was late.
    const failed = (await database.runs(nos)).filter(({ status }) => status !== 'success')
    expect(failed.map(({ error_message: message }) => message)).toEqual([])
    if (what === 'names') expect(await codesOf(hogs)).toEqual(['timeout'])
  },
)

/** Repeats this until it is disposed of. */
function every(ms: number, what: () => Promise<unknown>): AsyncDisposable {
  let last: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => void (last = what()), ms)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await last
    },
  }
}
