import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'slonik'
import { openStore, type Store, type Transaction } from '../../store/db/client.ts'
import { nothing } from '../../store/db/row.ts'
import { claimChecks, CLAIMED_PAGE, CLAIMED_SEARCH, claimedOf } from '../../store/queue/claim.ts'
import { startApiCommand } from '../api/api-command.ts'
import { spreadOf } from '../results/stats.ts'
import { cpuTimeMs } from '../support/cpu-time.ts'
import type { Database } from '../support/database.ts'
import { insertOwner, insertMonitors } from '../support/monitors.ts'
import { type Memory, residentBytes, startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts'
import { editedOf, type Edits, startEdits } from './soak-edits.ts'
import { spreadFirstRun, type Stage } from './throughput.ts'

/** So many monitors, each checked at its interval, so that so many are due each second. */
export interface SoakSize {
  readonly monitors: number
  readonly perSecond: number
  readonly rounds: number
  readonly roundSeconds: number
}

/** What a round of checks cost. */
interface SoakRound {
  readonly checksPerSecond: number
  /** Of one check, in a claim of 1,000, µs. */
  readonly claimUs: number
  /** Processor time of a check, µs. */
  readonly cpu: { readonly worker: number; readonly postgres: number }
  /** From the due time of a check to its fetch, ms, of some checks. */
  readonly lateMs: readonly number[]
  readonly tableBytes: number
  readonly indexBytes: number
  readonly residentBytes: number
}

export interface SoakFigures extends SoakSize {
  readonly date: string
  /** Before the first check. */
  readonly tableBytes: number
  readonly indexBytes: number
  readonly first: SoakRound
  readonly last: SoakRound
  /** The most of all rounds. */
  readonly mostBytes: number
  readonly lateP50Ms: number
  readonly lateP99Ms: number
  /** How often autovacuum has been through the table of checks. */
  readonly vacuums: number
  /** After a sixth of the rounds, and at the end. */
  readonly memory: { readonly warm: Memory; readonly end: Memory }
  readonly edits: Edits
}

const CLAIMED = claimedOf([CLAIMED_PAGE, CLAIMED_SEARCH])
const CLAIM = { queue: 'static', limit: 1000, perTeam: 1000, afterTeam: '', leaseSeconds: 60 } as const
const CLAIMS_A_ROUND = 5
/** Monitors whose lateness is read: one of so many. */
const ONE_OF = 500
const SAMPLED = 7
/** One of a hundred pages changes at each check. The others are answered with 304. */
const CHANGING = 3

/** Checks monitors at their intervals for a long time, while some pages change and monitors are edited. */
export async function measureSoak(stage: Stage, size: SoakSize, say: (line: string) => void): Promise<SoakFigures> {
  const database = await stage.server.create('bench_soak')
  const store = await openStore({ url: database.url, name: 'bench soak', connections: 1 })
  const worker = await startWorkerProcess(database.url, stage.profileDir)
  const stop = new AbortController()
  try {
    const key = await fill(database, stage.base, size, say)
    const api = await startApiCommand(database.url)
    const ids = await editedOf(database)
    const edits = startEdits({ ids, base: api.base, key, signal: stop.signal })
    try {
      const rounds = soak({ stage, size, database, store, worker, signal: stop.signal }, say)
      // Where an edit fails, nobody waits for them.
      rounds.catch(() => undefined)
      return { ...(await Promise.race([rounds, edits.failed])), edits: await edits.end() }
    } finally {
      stop.abort()
      await api.stop()
    }
  } finally {
    stop.abort()
    await worker.stop()
    await store.end()
    await database.close()
  }
}

/** Makes the monitors, with one run each. Their due times are spread evenly over an interval. Returns a key. */
async function fill(
  database: Database,
  base: string,
  { monitors, perSecond }: SoakSize,
  say: (line: string) => void,
): Promise<string> {
  const { client } = database
  const { api_key: key, team_id: team } = await insertOwner(database)
  say(`${monitors.toLocaleString('en')} monitors`)
  const interval = monitors / perSecond
  const made = { team, base: `${base}/etag`, interval }
  await insertMonitors(database, { ...made, from: 0, to: 1 })
  await spreadFirstRun(database, { ...made, from: 1, to: monitors })
  await client.query(`update monitors set url = replace(url, '/etag/', '/changed/') where no % 100 = ${CHANGING}`)
  await client.query(
    `with t as (select clock() + interval '20 seconds' as at)
     update checks c set shift_seconds = 0, due_at = t.at + c.no * $1::int * interval '1 second' / $2::int,
       next_run_at = t.at + c.no * $1::int * interval '1 second' / $2::int
     from t`,
    [interval, monitors],
  )
  // What the making has left behind is not the size at the start.
  await client.query('vacuum full checks')
  await client.query('vacuum analyze')
  return key
}

interface Running {
  readonly stage: Stage
  readonly size: SoakSize
  readonly database: Database
  readonly store: Store
  readonly worker: WorkerProcess
  readonly signal: AbortSignal
}

async function soak(running: Running, say: (line: string) => void): Promise<Omit<SoakFigures, 'edits'>> {
  const { size, database } = running
  const start = await sizesOf(database)
  const rounds: SoakRound[] = []
  let warm: Memory | null = null
  let behind = 0
  const rested = async () => {
    const seconds = restOf(size)
    behind += seconds
    return restedMemory(running, seconds, behind)
  }
  while (rounds.length < size.rounds) {
    const round = await measureRound(running, behind)
    rounds.push(round)
    say(`round ${rounds.length}: ${textOf(round)}`)
    if (rounds.length === Math.max(1, Math.floor(size.rounds / 6))) warm = await rested()
  }
  const [first, last] = [rounds[0], rounds.at(-1)]
  if (!first || !last || !warm) throw new RangeError('a soak has a round at least')
  const late = rounds.flatMap(({ lateMs }) => lateMs).toSorted((a, b) => a - b)
  const { vacuums } = await database.one<{ vacuums: number }>(
    `select autovacuum_count::int as vacuums from pg_stat_user_tables where relname = 'checks'`,
  )
  return {
    ...size,
    date: new Date().toISOString(),
    ...start,
    first: { ...first, lateMs: [] },
    last: { ...last, lateMs: [] },
    mostBytes: Math.max(...rounds.map(({ tableBytes, indexBytes }) => tableBytes + indexBytes)),
    lateP50Ms: late[Math.floor(late.length * 0.5)] ?? Number.NaN,
    lateP99Ms: late[Math.floor(late.length * 0.99)] ?? Number.NaN,
    vacuums,
    memory: { warm, end: await rested() },
  }
}

const textOf = ({ checksPerSecond, claimUs, cpu, tableBytes, indexBytes, ...round }: SoakRound) =>
  `${checksPerSecond.toFixed(0)} checks a second; a claim ${claimUs.toFixed(1)} µs, ` +
  `worker ${cpu.worker.toFixed(0)} + Postgres ${cpu.postgres.toFixed(0)} µs; ` +
  `checks ${mb(tableBytes)} + ${mb(indexBytes)} MB; resident ${mb(round.residentBytes)} MB; ` +
  `late at most ${Math.max(...round.lateMs).toFixed(0)} ms`
const mb = (bytes: number) => (bytes / 1e6).toFixed(0)

async function measureRound(
  { stage, size, database, store, worker, signal }: Running,
  behind: number,
): Promise<SoakRound> {
  const { since } = await database.one<{ since: string }>('select clock()::text as since')
  const { rows } = await database.client.query<{ pid: number }>('select pid from pg_stat_activity')
  const pids = rows.map(({ pid }) => pid)
  const before = { worker: await cpuTimeMs([worker.pid]), postgres: await cpuTimeMs(pids) }
  await stage.target.ask({ what: 'count' })
  const start = performance.now()
  const claims: number[] = []
  for (let nth = 1; nth <= CLAIMS_A_ROUND; nth += 1) {
    const next = start + (nth * size.roundSeconds * 1000) / CLAIMS_A_ROUND
    await pause(Math.max(0, next - performance.now()), undefined, { signal })
    claims.push(await claimMs(store, behind))
  }
  const seconds = (performance.now() - start) / 1000
  const checks = await stage.target.ask({ what: 'count' })
  const perCheck = (ms: number) => (ms * 1000) / checks
  return {
    checksPerSecond: checks / seconds,
    claimUs: spreadOf(claims).median,
    cpu: {
      worker: perCheck((await cpuTimeMs([worker.pid])) - before.worker),
      postgres: perCheck((await cpuTimeMs(pids)) - before.postgres),
    },
    lateMs: await latenessSince(database, since),
    ...(await sizesOf(database)),
    residentBytes: residentBytes(worker.pid),
  }
}

class UndoneError extends Error {}

/**
 * Returns what the claim of a check takes, in µs: of the thousand that are due next, which are given back at once. The
 * worker claims within milliseconds what is due, so that a claim of what is due now would find nothing.
 */
async function claimMs(store: Store, behind: number): Promise<number> {
  let us = Number.NaN
  const undone = store.transaction(async (tx) => {
    await moveAhead(tx, behind)
    const start = performance.now()
    const claimed = await claimChecks(tx, CLAIMED, CLAIM)
    us = ((performance.now() - start) * 1000) / claimed.length
    throw new UndoneError()
  })
  await undone.catch((error: unknown) => {
    if (!(error instanceof UndoneError)) throw error
  })
  return us
}

/**
 * Within the transaction a minute has passed, which nobody else sees, and no other claim is under way: a claim passes
 * over a team whose usage another one counts.
 */
async function moveAhead(tx: Transaction, behind: number): Promise<void> {
  await tx.query(sql.type(nothing)`select from team_usage for update`)
  const offset = sql.literalValue(`${60 - behind} seconds`)
  await tx.query(sql.type(nothing)`alter database bench_soak set tidemark.clock_offset = ${offset}`)
}

/** V8 gives back what a collection freed within so many seconds without work. A short soak has no time for it. */
const restOf = ({ roundSeconds }: SoakSize) => (roundSeconds >= 60 ? 25 : 0)

/**
 * Returns the memory of the worker after a rest. The clock of the database goes back by the length of it, so that
 * nothing is due meanwhile, and nothing has piled up when the next round begins. `behind`: by all rests together.
 */
async function restedMemory({ database, worker }: Running, seconds: number, behind: number): Promise<Memory> {
  if (seconds > 0)
    await database.client.query(`alter database bench_soak set tidemark.clock_offset = '-${behind} seconds'`)
  const { restedBytes, ...busy } = await worker.memory(seconds)
  return seconds > 0 && restedBytes !== undefined ? { ...busy, restedBytes } : busy
}

async function sizesOf(database: Database): Promise<Pick<SoakRound, 'tableBytes' | 'indexBytes'>> {
  return database.one(
    `select pg_table_size('checks')::float8 as "tableBytes", pg_indexes_size('checks')::float8 as "indexBytes"`,
  )
}

async function latenessSince({ client }: Database, since: string): Promise<number[]> {
  const { rows } = await client.query<{ ms: number }>(
    `select (extract(epoch from run_id_time(r.id) - (c.next_run_at - make_interval(secs => c.interval_seconds))) * 1000
       + r.start_offset_ms)::float8 as ms
     from generate_series(${SAMPLED}, (select max(no) from checks), ${ONE_OF}) n
     join checks c on c.no = n
     join runs r on r.monitor_no = c.no and r.id >= run_id_floor($1::timestamptz)
     where c.last_run_at >= $1::timestamptz`,
    [since],
  )
  return rows.map(({ ms }) => ms)
}
