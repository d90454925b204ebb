import { Agent, request } from 'undici'
import { ratios, type Spread, spreadOf } from '../results/stats.ts'
import { startChild } from '../support/child.ts'
import { cpuTimeMs } from '../support/cpu-time.ts'
import type { Database, Server } from '../support/database.ts'
import { insertMonitors, insertTeam } from '../support/monitors.ts'
import type { ApiAnswer, ApiQuestion } from './api-process.ts'

/** One route of the API compared with a bare one that runs the same statements, in answers a second. */
export interface ApiRead {
  readonly route: string
  readonly ours: Spread
  readonly bare: Spread
  /** The ratio of each round to the bare round before it. */
  readonly ratio: Spread
  /** µs of processor time per answer, without Postgres; medians. */
  readonly cpu: { readonly ours: number; readonly bare: number }
}

const MONITORS = 1_000
const RUNS_EACH = 30
const IN_FLIGHT = 32

export interface ApiReadsSize {
  /** The number of requests in a round. */
  readonly requests: number
  readonly rounds: number
}

/** Measures each route of both servers in turn, after one round of each as a warm-up. Every answer must be a 200. */
export async function measureApiReads(server: Server, { requests, rounds }: ApiReadsSize): Promise<ApiRead[]> {
  const database = await server.create('bench_api')
  const child = startChild<ApiQuestion, ApiAnswer>(new URL('./api-process.ts', import.meta.url))
  const dispatcher = new Agent({ connections: IN_FLIGHT })
  try {
    const { monitors, runs } = await fill(database)
    const { ours, bare, key } = await child.ask({ databaseUrl: database.url })
    const paths: readonly (readonly [route: string, path: (n: number) => string])[] = [
      ['GET /v1/monitors/:id', (n) => `/v1/monitors/${monitors[n % monitors.length]}`],
      ['GET /v1/monitors', () => '/v1/monitors'],
      ['GET /v1/runs/:id', (n) => `/v1/runs/${runs[n % runs.length]}`],
      ['GET /v1/monitors/:id/runs', (n) => `/v1/monitors/${monitors[n % monitors.length]}/runs`],
    ]
    const found: ApiRead[] = []
    for (const [route, path] of paths) {
      const load = { path, requests, dispatcher, authorization: `Bearer ${key}`, pid: child.pid }
      const pairs = { ours: [] as Round[], bare: [] as Round[] }
      for (let round = 0; round <= rounds; round++) {
        pairs.bare.push(await ask({ ...load, base: bare }))
        pairs.ours.push(await ask({ ...load, base: ours }))
      }
      found.push(rowOf(route, pairs.ours.slice(1), pairs.bare.slice(1)))
    }
    return found
  } finally {
    await dispatcher.close()
    await child.stop()
    await database.close()
  }
}

interface Round {
  readonly perSecond: number
  readonly cpuUs: number
}

function rowOf(route: string, ours: readonly Round[], bare: readonly Round[]): ApiRead {
  const rates = (rounds: readonly Round[]): number[] => rounds.map(({ perSecond }) => perSecond)
  const cpu = (rounds: readonly Round[]): number => spreadOf(rounds.map(({ cpuUs }) => cpuUs)).median
  return {
    route,
    ours: spreadOf(rates(ours)),
    bare: spreadOf(rates(bare)),
    ratio: spreadOf(ratios(rates(ours), rates(bare))),
    cpu: { ours: cpu(ours), bare: cpu(bare) },
  }
}

interface Load {
  readonly pid: number
  readonly base: string
  readonly path: (n: number) => string
  readonly requests: number
  readonly dispatcher: Agent
  readonly authorization: string
}

async function ask({ base, path, requests, dispatcher, authorization, pid }: Load): Promise<Round> {
  let next = 0
  const one = async (): Promise<void> => {
    while (next < requests) {
      const { statusCode, body } = await request(base + path(next++), { dispatcher, headers: { authorization } })
      const text = await body.text()
      if (statusCode !== 200 || !text.includes('"id"'))
        throw new Error(`${base} answered ${statusCode}: ${text.slice(0, 200)}`)
    }
  }
  const before = await cpuTimeMs([pid])
  const start = performance.now()
  await Promise.all(Array.from({ length: IN_FLIGHT }, one))
  const ms = performance.now() - start
  return { perSecond: (requests * 1000) / ms, cpuUs: (((await cpuTimeMs([pid])) - before) * 1000) / requests }
}

/** Inserts monitors with a page and a half of runs each. Every other run is unchanged. */
async function fill(database: Database): Promise<{ monitors: string[]; runs: string[] }> {
  await insertTeam(database)
  await insertMonitors(database, { from: 0, to: MONITORS, base: 'http://127.0.0.1:9/shop' })
  const { client } = database
  await client.query(
    `update checks set reading_id = new_run_id(clock(), no), last_run_at = clock(), runs_total = ${RUNS_EACH}, ` +
      `due_at = clock() + interval '1 hour', next_run_at = clock() + interval '1 hour'`,
  )
  await client.query(
    `insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, fetch_method, extracted)
     select no, reading_id, team_id, 0, 35, 'success', 'static', '{"price": "€ 1000.00"}' from checks`,
  )
  await client.query(
    `insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, fetch_method, reading_id)
     select no, new_run_id(clock() + n * interval '1 ms', no), team_id, 0, 35, 'success', 'static', reading_id
       from checks, generate_series(2, ${RUNS_EACH}) n`,
  )
  await client.query('vacuum analyze')
  const ids = async (text: string): Promise<string[]> =>
    (await client.query<{ id: string }>(text)).rows.map(({ id }) => id)
  return {
    monitors: await ids('select id from monitors order by no'),
    runs: await ids('select id from runs order by id limit 10000'),
  }
}
