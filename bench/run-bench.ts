import { availableParallelism } from 'node:os'
import { type ApiReadsSize, measureApiReads } from './api/api-reads.ts'
import { measureNeighbour, type NeighbourSize } from './api/neighbour.ts'
import { type BrowserChecksSize, measureBrowserChecks } from './browser/browser-checks.ts'
import { measureVisualDiff, type VisualDiffSize } from './browser/visual-diff.ts'
import type { BareQuestion } from './checks/bare-loop.ts'
import { measureBesideUrlwatch, type UrlwatchSize } from './checks/beside-urlwatch.ts'
import { measureClaims } from './checks/claim-cost.ts'
import { type Lateness, measureLateness } from './checks/lateness.ts'
import { measureRetention, type RetentionSize } from './checks/retention.ts'
import { measureSoak, type SoakSize } from './checks/soak.ts'
import { type Measured, measureThroughput, type RowSize, type Stage, type Throughput } from './checks/throughput.ts'
import { measureOperator, type OperatorSize } from './cluster/operator.ts'
import { measurePods, type PodsSize } from './cluster/pods.ts'
import { type DashboardSize, measureDashboard } from './dashboard/dashboard.ts'
import { type LooksSize, measureLooks } from './dashboard/looks.ts'
import { measureScreens, type ScreensSize } from './dashboard/screens.ts'
import { type DeliveriesSize, measureDeliveries } from './deliveries/deliveries.ts'
import { type DocumentsSize, measureDocuments } from './documents/documents.ts'
import { measurePackage } from './installation/built-package.ts'
import { measureCommandCost, OF_CLONE } from './installation/command-cost.ts'
import { measureImageSizes } from './installation/image-sizes.ts'
import { measureSetUpSize } from './installation/set-up-size.ts'
import { measureStartUp } from './installation/start-up.ts'
import type { Results } from './results/results.ts'
import { startChild } from './support/child.ts'
import { startServer } from './support/database.ts'
import type { TargetQuestion } from './support/target-server.ts'

/** The size of each part of the bench. */
interface Sizes {
  readonly checks: {
    readonly rows: readonly RowSize[]
    /** Seconds of half load; 0: not measured. */
    readonly latenessSeconds: number
  } | null
  /** The numbers of monitors for which claims are measured. */
  readonly claims: readonly number[] | null
  readonly reads: ApiReadsSize | null
  readonly deliveries: DeliveriesSize | null
  readonly start: true | null
  readonly browser: BrowserChecksSize | null
  readonly visual: VisualDiffSize | null
  /** Its goals are times, which other work on the machine doubles, so it is measured only when it is named. */
  readonly documents: DocumentsSize | null
  /** Takes minutes and a Kubernetes API server, so it is measured only when it is named. */
  readonly operator: OperatorSize | null
  /** Takes a quarter of an hour, so it is measured only when it is named. */
  readonly retention: RetentionSize | null
  /** Takes an hour, and 10 GB of disk, so it is measured only when it is named. */
  readonly soak: SoakSize | null
  /** Installs urlwatch from the Python index, so it is measured only when it is named. */
  readonly urlwatch: UrlwatchSize | null
  /** Loads the machine for more than a minute, so it is measured only when it is named. */
  readonly neighbour: NeighbourSize | null
  /** Makes 110,000 monitors and needs a built dashboard, so it is measured only when it is named. */
  readonly dashboard: DashboardSize | null
  /** Makes 100,000 deliveries and needs a built dashboard, so it is measured only when it is named. */
  readonly screens: ScreensSize | null
  /** Starts installations and needs a built dashboard, so it is measured only when it is named. */
  readonly looks: LooksSize | null
  /** Fetches and unpacks Debian's packages, so it is measured only when it is named. */
  readonly images: true | null
  /** Needs a cluster with a release, so it is measured only when it is named. */
  readonly pods: PodsSize | null
}
type Part = keyof Sizes

export const FULL: Sizes = {
  checks: {
    rows: [
      { kind: 'unchanged', checks: 12_000, rounds: 9, more: 21, restSeconds: 25 },
      { kind: 'etag', checks: 12_000, rounds: 9, more: 21, restSeconds: 25 },
      { kind: 'changed', checks: 2_000, rounds: 9, more: 21, restSeconds: 25 },
      { kind: 'large', checks: 400, rounds: 9, more: 21, restSeconds: 25 },
    ],
    latenessSeconds: 5,
  },
  claims: [10_000, 100_000, 1_000_000],
  reads: { requests: 2_000, rounds: 5 },
  deliveries: { deliveries: 10_000, rounds: 2 },
  start: true,
  browser: { checks: 30, rounds: 5, atOnce: 4, watched: 500, mostSeconds: 75 },
  visual: { rounds: 3, height: 10_000 },
  documents: { rounds: 15, pages: 20, rows: 10_000 },
  operator: { resources: 10_000, restarts: 3, applied: 50, restSeconds: 30 },
  retention: { runs: 10_000_000, monitors: 2_000, restSeconds: 30 },
  soak: { monitors: 1_000_000, perSecond: 5_000, rounds: 60, roundSeconds: 60 },
  urlwatch: {
    rounds: 7,
    rows: [
      { kind: 'unchanged', checks: 2_000 },
      { kind: 'changed', checks: 1_000 },
      { kind: 'large', checks: 300 },
    ],
  },
  neighbour: { seconds: 15, atOnce: 10 },
  dashboard: {
    monitors: [10_000, 100_000],
    asks: 60,
    loads: 7,
    changes: 10,
    streams: {
      streams: 200,
      rounds: 5,
      rows: [
        { kind: 'unchanged', checks: 24_000 },
        { kind: 'changed', checks: 4_000 },
      ],
    },
  },
  screens: {
    monitors: 10_000,
    deliveries: 100_000,
    dead: 5_000,
    audits: 50_000,
    people: 2_000,
    loads: 7,
    shown: 200,
    looks: 110,
  },
  looks: { looks: 15, renders: 15, points: 100, starts: 3 },
  images: true,
  pods: { checks: 100 },
}

export const QUICK: Sizes = {
  checks: {
    rows: [
      { kind: 'unchanged', checks: 6_000, rounds: 3 },
      { kind: 'changed', checks: 1_000, rounds: 3 },
    ],
    latenessSeconds: 0,
  },
  claims: [10_000, 30_000],
  reads: { requests: 1_000, rounds: 2 },
  deliveries: null,
  start: null,
  browser: { checks: 20, rounds: 2, atOnce: 4, watched: 0, mostSeconds: 0 },
  visual: { rounds: 1, height: 10_000 },
  documents: { rounds: 3, pages: 20, rows: 10_000 },
  operator: { resources: 1_000, restarts: 1, applied: 10, restSeconds: 5 },
  retention: { runs: 1_000_000, monitors: 1_000, restSeconds: 20 },
  soak: { monitors: 60_000, perSecond: 1_000, rounds: 4, roundSeconds: 20 },
  urlwatch: {
    rounds: 2,
    rows: [
      { kind: 'changed', checks: 500 },
      { kind: 'large', checks: 100 },
    ],
  },
  neighbour: { seconds: 3, atOnce: 10 },
  dashboard: {
    monitors: [1_000],
    asks: 20,
    loads: 1,
    changes: 2,
    streams: { streams: 200, rounds: 1, rows: [{ kind: 'unchanged', checks: 6_000 }] },
  },
  screens: { monitors: 300, deliveries: 5_000, dead: 500, audits: 2_000, people: 100, loads: 2, shown: 200, looks: 20 },
  looks: { looks: 3, renders: 3, points: 20, starts: 1 },
  images: true,
  pods: { checks: 20 },
}

export const PARTS = Object.keys(FULL) as readonly Part[]

/** Returns the sizes of a run that names no part. */
export const unnamed = (sizes: Sizes): Sizes => ({
  ...sizes,
  documents: null,
  operator: null,
  retention: null,
  soak: null,
  urlwatch: null,
  neighbour: null,
  dashboard: null,
  screens: null,
  looks: null,
  images: null,
  pods: null,
})

/**
 * Returns the sizes with these parts only, named as in `claims,browser`. Returns a message when a part does not exist.
 */
export function only(sizes: Sizes, names: string): Sizes | string {
  const wanted = names.split(',')
  const unknown = wanted.find((name) => !PARTS.some((part) => part === name))
  if (unknown !== undefined) return `There is no part ${JSON.stringify(unknown)}; the parts are ${PARTS.join(', ')}.`
  const kept = PARTS.map((part) => [part, wanted.includes(part) ? sizes[part] : null])
  return Object.fromEntries(kept) as Sizes
}

async function measureStarts(say: (line: string) => void): Promise<Pick<Results, 'startUp' | 'commands' | 'packaged'>> {
  say('starting up')
  const startUp = await measureStartUp()
  say('commands')
  const commands = await measureCommandCost(OF_CLONE)
  say('commands of the package')
  return { startUp, commands, packaged: await measurePackage() }
}

/**
 * Measures all parts one after the other. `say` gets the name of the next part. `profileDir`: the folder for CPU
 * profiles of the workers.
 */
export async function runBench(
  sizes: Sizes,
  say: (line: string) => void,
  profileDir?: string,
): Promise<Omit<Results, 'date' | 'quick'>> {
  // First, because it fails at once where a package is missing.
  const setUp = await measureSetUpSize()
  const starts = sizes.start ? await measureStarts(say) : { startUp: null, commands: null, packaged: null }
  const target = startChild<{ what: TargetQuestion }, number>(new URL('./support/target-server.ts', import.meta.url))
  const bare = startChild<BareQuestion, number>(new URL('./checks/bare-loop.ts', import.meta.url))
  const server = await startServer()
  try {
    const base = `http://127.0.0.1:${await target.ask({ what: 'open' })}`
    const stage: Stage = { server, target, bare, base, ...(profileDir !== undefined && { profileDir }) }
    const rows = await measureRows(stage, sizes.checks, say)
    const claims = sizes.claims ? (say('claims'), await measureClaims(server, sizes.claims)) : []
    const reads = sizes.reads ? (say('reads of the API'), await measureApiReads(server, sizes.reads)) : []
    const deliveries = sizes.deliveries && (say('deliveries'), await measureDeliveries(server, sizes.deliveries))
    const browser = sizes.browser && (say('browser checks'), await measureBrowserChecks(sizes.browser))
    const visual = sizes.visual && (say('pictures'), await measureVisualDiff(sizes.visual))
    const documents = sizes.documents && (await measureDocuments(sizes.documents, say))
    const operator = sizes.operator && (await measureOperator(server, base, sizes.operator, say, profileDir))
    const loads = await measureLoads(stage, sizes, say)
    const dashboards = await measureDashboards(stage, sizes, say)
    const images = sizes.images && (await measureImageSizes(say))
    const pods = sizes.pods && (await measurePods(sizes.pods, say))
    const machine = { cores: availableParallelism(), node: process.versions.node, postgres: await server.version() }
    return {
      machine,
      ...rows,
      claims,
      reads,
      deliveries,
      ...starts,
      setUp,
      browser,
      visual,
      documents,
      operator,
      ...loads,
      ...dashboards,
      images,
      pods,
    }
  } finally {
    await bare.stop()
    await target.stop()
    await server.stop()
  }
}

async function measureLoads(
  stage: Stage,
  { retention, soak, urlwatch, neighbour }: Sizes,
  say: (line: string) => void,
): Promise<Required<Pick<Results, 'retention' | 'soak' | 'urlwatch' | 'neighbour'>>> {
  return {
    retention: retention && (await measureRetention(stage.server, retention, say)),
    soak: soak && (await measureSoak(stage, soak, say)),
    urlwatch: urlwatch && (await measureBesideUrlwatch(stage, urlwatch, say)),
    neighbour: neighbour && (await measureNeighbour(stage.server, neighbour, say)),
  }
}

async function measureDashboards(
  stage: Stage,
  { dashboard, screens, looks }: Sizes,
  say: (line: string) => void,
): Promise<Required<Pick<Results, 'dashboard' | 'screens' | 'looks'>>> {
  return {
    dashboard: dashboard && (await measureDashboard(stage, dashboard, say)),
    screens: screens && (await measureScreens(stage.server, screens, say)),
    looks: looks && (await measureLooks(stage.server, looks, say)),
  }
}

type Rows = Pick<Results, 'throughput' | 'bytesPerUnchangedRun' | 'lateness'>

async function measureRows(stage: Stage, sizes: Sizes['checks'], say: (line: string) => void): Promise<Rows> {
  const throughput: Throughput[] = []
  let lateness: Lateness | null = null
  let bytesPerUnchangedRun: number | null = null
  for (const size of sizes?.rows ?? []) {
    say(`${size.kind}: ${size.rounds} rounds of ${size.checks}`)
    await measureThroughput(stage, size, async (measured) => {
      throughput.push(measured.row)
      if (size.kind !== 'unchanged') return
      bytesPerUnchangedRun = measured.bytesPerRun
      if (sizes && sizes.latenessSeconds > 0) lateness = await latenessOf(measured, sizes.latenessSeconds, say)
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
