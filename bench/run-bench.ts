import { availableParallelism } from 'node:os'
import type { BareQuestion } from './bare-loop.ts'
import { startChild } from './child.ts'
import { measureClaims } from './claim-cost.ts'
import { startServer } from './database.ts'
import { type Lateness, measureLateness } from './lateness.ts'
import type { Results } from './results.ts'
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
  readonly startUp: boolean
}

export const FULL: Sizes = {
  rows: [
    { kind: 'unchanged', checks: 12_000, rounds: 9 },
    { kind: 'etag', checks: 12_000, rounds: 9 },
    { kind: 'changed', checks: 2_000, rounds: 9 },
  ],
  claims: [10_000, 100_000],
  latenessSeconds: 5,
  startUp: true,
}

export const QUICK: Sizes = {
  rows: [
    { kind: 'unchanged', checks: 6_000, rounds: 3 },
    { kind: 'changed', checks: 1_000, rounds: 3 },
  ],
  claims: [10_000, 30_000],
  latenessSeconds: 0,
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
    const machine = { cores: availableParallelism(), node: process.versions.node, postgres: await server.version() }
    return { machine, ...rows, claims, startUp }
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
