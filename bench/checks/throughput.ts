import { setTimeout as pause } from 'node:timers/promises'
import { ratios, type Spread, spreadOf } from '../results/stats.ts'
import type { Child } from '../support/child.ts'
import type { Database, Server } from '../support/database.ts'
import { copyFirstRun, insertMonitors, insertTeam, type Monitors } from '../support/monitors.ts'
import type { TargetQuestion } from '../support/target-server.ts'
import { type Memory, startWorkerProcess, type WorkerProcess } from '../support/worker-process.ts'
import type { BareQuestion, Kind } from './bare-loop.ts'
import { type Round, runRound } from './round.ts'

/** One row: Tidemark and the bare loop, in turn. */
export interface Throughput {
  readonly kind: Kind
  readonly checks: number
  readonly rounds: number
  /** Checks per second. */
  readonly ours: Spread
  readonly bare: Spread
  /** The ratio of each round to the bare round before it. */
  readonly ratio: Spread
  /** µs of processor time per check; medians. */
  readonly cpu: { readonly worker: number; readonly postgres: number }
  readonly memory: Growth
}

/**
 * The worker's memory at two times. The first is after a third of its rounds, when all code is loaded and warm and its
 * pools have their full size. The second is after this many more checks.
 */
interface Growth {
  readonly checks: number
  readonly warm: Memory
  readonly end: Memory
}

/** The parts that all rows share. */
export interface Stage {
  readonly server: Server
  readonly target: Child<{ what: TargetQuestion }, number>
  readonly bare: Child<BareQuestion, number>
  readonly base: string
  readonly profileDir?: string
}

export interface RowSize {
  readonly kind: Kind
  readonly checks: number
  readonly rounds: number
  /** Rounds after the timed ones, to see whether memory grows. */
  readonly more?: number
  /** Seconds without work before resident memory is read. Default 0. */
  readonly restSeconds?: number
}

/** A measured row, with its database for the next measurement; the worker still runs. */
export interface Measured {
  readonly row: Throughput
  readonly database: Database
  /** The growth of the table of runs for each run, its indexes included. */
  readonly bytesPerRun: number
}

/**
 * Alternates the bare loop and Tidemark, after one round of each as a warm-up. Then it calls `next` before it stops the
 * worker. In each round of Tidemark the target must get exactly one request for each check.
 */
export async function measureThroughput<T>(
  stage: Stage,
  size: RowSize,
  next: (measured: Measured) => Promise<T>,
): Promise<T> {
  const database = await stage.server.create(`bench_${size.kind}`)
  const base = `${stage.base}/${size.kind}`
  await insertTeam(database)
  await insertMonitors(database, { from: 0, to: 1, base })
  const worker = await startWorkerProcess(database.url, stage.profileDir)
  try {
    await spreadFirstRun(database, { from: 1, to: size.checks, base })
    const before = await bytesOfRuns(database)
    const row = await alternate(stage, size, { database, worker })
    const bytesPerRun = ((await bytesOfRuns(database)) - before) / (size.checks * (size.rounds + (size.more ?? 0) + 1))
    return await next({ row, database, bytesPerRun })
  } finally {
    await worker.stop()
    await database.close()
  }
}

interface Ours {
  readonly database: Database
  readonly worker: WorkerProcess
}

async function alternate(stage: Stage, size: RowSize, { database, worker }: Ours): Promise<Throughput> {
  const { kind, checks, rounds, more = 0, restSeconds = 0 } = size
  const ours: Round[] = []
  const bare: number[] = []
  let warm: Memory | null = null
  const warmAfter = Math.max(1, Math.floor((rounds + more) / 3))
  for (let round = 0; round <= rounds + more; round++) {
    if (round <= rounds)
      bare.push((checks * 1000) / (await stage.bare.ask({ kind, base: stage.base, requests: checks })))
    await stage.target.ask({ what: 'count' })
    ours.push(await runRound(database, worker.pid, round + 1))
    const asked = await stage.target.ask({ what: 'count' })
    if (asked !== checks) throw new Error(`${checks} checks made ${asked} requests`)
    if (round === warmAfter) warm = await worker.memory(restSeconds)
  }
  if (warm === null) throw new RangeError('a row needs a round at least')
  const memory = { checks: checks * (rounds + more - warmAfter), warm, end: await worker.memory(restSeconds) }
  return rowOf(size, { ours: ours.slice(1, rounds + 1), bare: bare.slice(1), memory })
}

interface Found {
  readonly ours: readonly Round[]
  readonly bare: readonly number[]
  readonly memory: Growth
}

/** Lets the worker do one first run, then inserts the others as if each had done its own. */
export async function spreadFirstRun(database: Database, others: Monitors): Promise<void> {
  const isDone = 'select bool_and(reading_id is not null) as done from checks'
  while (!(await database.one<{ done: boolean }>(isDone)).done) await pause(20)
  await database.client.query('begin')
  await insertMonitors(database, others)
  await database.client.query('update checks set due_at = null where reading_id is null')
  await database.client.query('commit')
  await copyFirstRun(database)
}

async function bytesOfRuns(database: Database): Promise<number> {
  const { bytes } = await database.one<{ bytes: number }>(
    `select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('runs')`,
  )
  return bytes
}

function rowOf({ kind, checks, rounds }: RowSize, { ours, bare, memory }: Found): Throughput {
  const perSecond = ours.map((round) => (round.checks * 1000) / round.ms)
  const cpu = (part: keyof Round['cpu']): number => spreadOf(ours.map((round) => round.cpu[part])).median
  return {
    kind,
    checks,
    rounds,
    ours: spreadOf(perSecond),
    bare: spreadOf(bare),
    ratio: spreadOf(ratios(perSecond, bare)),
    cpu: { worker: cpu('worker'), postgres: cpu('postgres') },
    memory,
  }
}
