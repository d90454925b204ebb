import { setTimeout as pause } from 'node:timers/promises'
import { startApiCommand } from '../api/api-command.ts'
import type { Kind } from '../checks/bare-loop.ts'
import { type Round, runRound } from '../checks/round.ts'
import { spreadFirstRun, type Stage } from '../checks/throughput.ts'
import { ratios, type Spread, spreadOf } from '../results/stats.ts'
import { insertMonitors, insertTeam } from '../support/monitors.ts'
import { startWorkerProcess } from '../support/worker-process.ts'
import { listenersOf, openStreams } from './event-listeners.ts'

/** The size of the measurement. */
export interface StreamsSize {
  readonly streams: number
  readonly rounds: number
  readonly rows: readonly { readonly kind: Kind; readonly checks: number }[]
}

/** Checks of one kind beside streams of events, and without them. */
export interface BesideStreams {
  readonly kind: Kind
  readonly checks: number
  readonly streams: number
  /** Checks a second of each round beside streams over those of the round without them. */
  readonly share: Spread
  /** µs of processor time of worker and Postgres for a check; medians. */
  readonly cpu: { readonly without: number; readonly beside: number }
}

/**
 * Runs rounds of checks in pairs, one without streams and one beside them. A fourth of the streams is of the team whose
 * monitors are checked, each with a hundred of them watched, and must be told of every round.
 */
export async function measureBesideStreams(
  stage: Pick<Stage, 'server' | 'base'>,
  size: StreamsSize,
): Promise<BesideStreams[]> {
  const found: BesideStreams[] = []
  for (const row of size.rows) found.push(await besideStreams(stage, size, row))
  return found
}

async function besideStreams(
  stage: Pick<Stage, 'server' | 'base'>,
  { streams, rounds }: StreamsSize,
  { kind, checks }: StreamsSize['rows'][number],
): Promise<BesideStreams> {
  const database = await stage.server.create(`bench_streams_${kind}`)
  const base = `${stage.base}/${kind}`
  await insertTeam(database)
  await insertMonitors(database, { from: 0, to: 1, base })
  const worker = await startWorkerProcess(database.url)
  const api = await startApiCommand(database.url)
  try {
    await spreadFirstRun(database, { from: 1, to: checks, base })
    const listeners = await listenersOf(database, streams)
    let done = 0
    const round = () => runRound(database, worker.pid, (done += 1))
    const roundBeside = async () => {
      const opened = await openStreams(api.base, listeners)
      const found = await round()
      while (opened.told() === 0) await pause(20)
      await opened.close()
      return found
    }
    const [without, beside]: [Round[], Round[]] = [[], []]
    for (let nth = 0; nth <= rounds; nth += 1) {
      // Each comes first in every second pair.
      if (nth % 2 === 1) beside.push(await roundBeside())
      without.push(await round())
      if (nth % 2 === 0) beside.push(await roundBeside())
    }
    // The first pair warms both up.
    return { kind, checks, streams, ...comparedOf(without.slice(1), beside.slice(1)) }
  } finally {
    await api.stop()
    await worker.stop()
    await database.close()
  }
}

function comparedOf(without: readonly Round[], beside: readonly Round[]): Pick<BesideStreams, 'share' | 'cpu'> {
  const rates = (rounds: readonly Round[]) => rounds.map(({ checks, ms }) => checks / ms)
  const cpu = (rounds: readonly Round[]) =>
    spreadOf(rounds.map((round) => round.cpu.worker + round.cpu.postgres)).median
  return {
    share: spreadOf(ratios(rates(beside), rates(without))),
    cpu: { without: cpu(without), beside: cpu(beside) },
  }
}
