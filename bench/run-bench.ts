import { availableParallelism } from 'node:os'
import { type ApiReadsSize, measureApiReads } from './api-reads.ts'
import type { BareQuestion } from './bare-loop.ts'
import { startChild } from './child.ts'
import { measureClaims } from './claim-cost.ts'
import { startServer } from './database.ts'
import { type DeliveriesSize, measureDeliveries } from './deliveries.ts'
import { type Lateness, measureLateness } from './lateness.ts'
import type { Results } from './results.ts'
import { measureSetUpSize } from './set-up-size.ts'
import { measureStartUp } from './start-up.ts'
import type { TargetQuestion } from './target-server.ts'
import { type Measured, measureThroughput, type RowSize, type Stage, type Throughput } from './throughput.ts'

/** How much is measured. */
export interface Sizes {
  readonly rows: readonly RowSize[]
  /** Numbers of monitors that are claimed from. */
  readonly claims: readonly number[]
  /** Seconds of half load; 0: not measured. */
  readonly latenessSeconds: number
  readonly reads: ApiReadsSize
  /** null: not measured. */
  readonly deliveries: DeliveriesSize | null
  readonly startUp: boolean
}

export const FULL: Sizes = {
  rows: [
    { kind: 'unchanged', checks: 12_000, rounds: 9, more: 21 },
    { kind: 'etag', checks: 12_000, rounds: 9 },
    { kind: 'changed', checks: 2_000, rounds: 9 },
  ],
  claims: [10_000, 100_000, 1_000_000],
  latenessSeconds: 5,
  reads: { requests: 2_000, rounds: 5 },
  deliveries: { deliveries: 10_000, rounds: 2 },
  startUp: true,
}

export const QUICK: Sizes = {
  rows: [
    { kind: 'unchanged', checks: 6_000, rounds: 3 },
    { kind: 'changed', checks: 1_000, rounds: 3 },
  ],
  claims: [10_000, 30_000],
  latenessSeconds: 0,
  reads: { requests: 1_000, rounds: 2 },
  deliveries: null,
  startUp: false,
}

/** Measures all of it, one thing after the other; `say` is told what comes. `profileDir`: CPU profiles of the workers go there. */
export async function runBench(
  sizes: Sizes,
  say: (line: string) => void,
  profileDir?: string,
): Promise<Omit<Results, 'date' | 'quick'>> {
  const startUp = sizes.startUp ? (say('starting up'), await measureStartUp()) : null
  const target = startChild<{ what: TargetQuestion }, number>('target-server.ts')
  const bare = startChild<BareQuestion, number>('bare-loop.ts')
  const server = await startServer()
  try {
    const base = `http://127.0.0.1:${await target.ask({ what: 'open' })}`
    const stage: Stage = { server, target, bare, base, ...(profileDir !== undefined && { profileDir }) }
    const rows = await measureRows(stage, sizes, say)
    say('claims')
    const claims = await measureClaims(server, sizes.claims)
    say('reads of the API')
    const reads = await measureApiReads(server, sizes.reads)
    const deliveries = sizes.deliveries && (say('deliveries'), await measureDeliveries(server, sizes.deliveries))
    const setUp = await measureSetUpSize()
    const machine = { cores: availableParallelism(), node: process.versions.node, postgres: await server.version() }
    return { machine, ...rows, claims, reads, deliveries, startUp, setUp }
  } finally {
    await bare.stop()
    await target.stop()
    await server.stop()
  }
}

type Rows = Pick<Results, 'throughput' | 'bytesPerUnchangedRun' | 'lateness'>

async function measureRows(stage: Stage, sizes: Sizes, say: (line: string) => void): Promise<Rows> {
  const throughput: Throughput[] = []
  let lateness: Lateness | null = null
  let bytesPerUnchangedRun = Number.NaN
  for (const size of sizes.rows) {
    say(`${size.kind}: ${size.rounds} rounds of ${size.checks}`)
    await measureThroughput(stage, size, async (measured) => {
      throughput.push(measured.row)
      if (size.kind !== 'unchanged') return
      bytesPerUnchangedRun = measured.bytesPerRun
      if (sizes.latenessSeconds > 0) lateness = await latenessOf(measured, sizes.latenessSeconds, say)
    })
  }
  return { throughput, bytesPerUnchangedRun, lateness }
}

async function latenessOf(
  { row, database }: Measured,
  seconds: number,
  say: (line: string) => void,
): Promise<Lateness> {
  const perSecond = Math.round(row.ours.median / 2)
  say(`lateness at ${perSecond} a second`)
  return measureLateness(database, perSecond, Math.min(row.checks, perSecond * seconds))
}
