import { execFile } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ratios, type Spread, spreadOf } from '../results/stats.ts'
import { insertMonitors, insertTeam } from '../support/monitors.ts'
import { startWorkerProcess } from '../support/worker-process.ts'
import type { Kind } from './bare-loop.ts'
import { runRound } from './round.ts'
import { spreadFirstRun, type Stage } from './throughput.ts'

/** The kinds of pages, and how many are checked in a round. */
export interface UrlwatchSize {
  readonly rounds: number
  readonly rows: readonly { readonly kind: Kind; readonly checks: number }[]
}

/** Checks a second of Tidemark and of urlwatch, round by round in turn. */
export interface BesideUrlwatch {
  readonly date: string
  readonly version: string
  readonly rows: readonly {
    readonly kind: Kind
    readonly checks: number
    readonly ours: Spread
    readonly theirs: Spread
    readonly ratio: Spread
  }[]
}

const run = promisify(execFile)
const VERSION = '2.29'
const HOME = join(import.meta.dirname, '../../node_modules/.cache/urlwatch')

/** Returns the command, which is installed from the Python index once. */
async function installed(say: (line: string) => void): Promise<string> {
  const command = join(HOME, 'bin/urlwatch')
  const isThere = await access(command).then(
    () => true,
    () => false,
  )
  if (isThere) return command
  say(`installing urlwatch ${VERSION}`)
  await run('python3', ['-m', 'venv', HOME])
  await run(join(HOME, 'bin/python'), [
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
    `urlwatch==${VERSION}`,
  ])
  return command
}

/** Measures rounds of Tidemark and of urlwatch in turn, on the same pages of the same server. */
export async function measureBesideUrlwatch(
  stage: Stage,
  { rounds, rows }: UrlwatchSize,
  say: (line: string) => void,
): Promise<BesideUrlwatch> {
  const command = await installed(say)
  const found = []
  for (const row of rows) {
    say(`urlwatch, ${row.kind}: ${rounds} rounds of ${row.checks}`)
    found.push(await measureRow(stage, command, { ...row, rounds }))
  }
  return { date: new Date().toISOString(), version: VERSION, rows: found }
}

interface RowOf {
  readonly kind: Kind
  readonly checks: number
  readonly rounds: number
}

async function measureRow(stage: Stage, command: string, { kind, checks, rounds }: RowOf) {
  const base = `${stage.base}/${kind}`
  const database = await stage.server.create(`bench_urlwatch_${kind}`)
  await insertTeam(database)
  await insertMonitors(database, { from: 0, to: 1, base })
  const worker = await startWorkerProcess(database.url)
  const theirs = await openUrlwatch(command, base, checks)
  try {
    await spreadFirstRun(database, { from: 1, to: checks, base })
    const [ours, other]: [number[], number[]] = [[], []]
    // The first round of both is left out: one compiles, and the other has nothing yet to compare with.
    for (let round = 0; round <= rounds; round += 1) {
      await stage.target.ask({ what: 'count' })
      await theirs.round()
      const ms = await stage.target.ask({ what: 'window' })
      const asked = await stage.target.ask({ what: 'count' })
      if (asked !== checks) throw new Error(`urlwatch made ${asked} requests for ${checks} pages`)
      const own = await runRound(database, worker.pid, round + 1)
      if (round === 0) continue
      other.push((checks * 1000) / ms)
      ours.push((checks * 1000) / own.ms)
    }
    return { kind, checks, ours: spreadOf(ours), theirs: spreadOf(other), ratio: spreadOf(ratios(ours, other)) }
  } finally {
    await theirs.end()
    await worker.stop()
    await database.close()
  }
}

/** Makes the files of urlwatch: so many pages of `<base>/<n>`, of each the price. It reports nothing. */
async function openUrlwatch(command: string, base: string, pages: number) {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-urlwatch-'))
  const jobs = Array.from({ length: pages }, (_, n) => `url: ${base}/${n}\nfilter:\n- css: .price\n`)
  await writeFile(join(folder, 'urls.yaml'), jobs.join('---\n'))
  await writeFile(join(folder, 'config.yaml'), 'report:\n  stdout:\n    enabled: false\n')
  return {
    async round() {
      const paths = ['urls', 'config', 'hooks'].flatMap((name) => [`--${name}`, join(folder, `${name}.yaml`)])
      await run(command, [...paths, '--cache', join(folder, 'cache.db')], { maxBuffer: 64 * 1024 * 1024, cwd: folder })
    },
    end: () => rm(folder, { recursive: true, force: true }),
  }
}
