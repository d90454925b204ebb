import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Held, measureProcess } from './inspected.ts'
import { type Lateness, measureLateness } from './lateness.ts'
import { measureStore, type StoreSize } from './tables.ts'
import type { WeeksService } from './weeks-service.ts'

const LOOKS = 10
const LOOK_MS = 1_000

/** What the service holds at the end of a day. */
export interface DayFigures {
  readonly day: number
  readonly store: StoreSize
  /** Files in the data folder. */
  readonly files: { readonly count: number; readonly bytes: number }
  readonly process: Held
  /** Connections of the service to Postgres. */
  readonly connections: number
  /** Lines of /metrics that are no comments. */
  readonly series: number
  readonly lateness: Lateness
}

export async function measureDay(service: WeeksService, day: number): Promise<DayFigures> {
  const store = await measureStore(service.query)
  const held = await atRest(service)
  const [open] = await service.query<{ n: number }>(`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name like 'tidemark%' and application_name <> 'tidemark test'`)
  const metrics = await (await fetch(`${service.base}/metrics`)).text()
  return {
    day,
    store,
    files: await filesIn(service.dataDir),
    process: held,
    connections: open?.n ?? 0,
    series: metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length,
    lateness: await measureLateness(service),
  }
}

/** A client keeps a connection for seconds after its last request, so the fewest descriptors of some looks count. */
async function atRest({ pid, inspector }: WeeksService): Promise<Held> {
  let fewest = await measureProcess(pid, inspector)
  for (let look = 1; look < LOOKS; look++) {
    await sleep(LOOK_MS)
    const now = await measureProcess(pid, inspector)
    if (now.descriptors < fewest.descriptors) fewest = now
  }
  return fewest
}

async function filesIn(folder: string): Promise<DayFigures['files']> {
  let count = 0
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // A browser that ends at this moment takes its files along.
    const found = entry.isFile() ? await stat(join(entry.parentPath, entry.name)).catch(() => null) : null
    if (found === null) continue
    count += 1
    bytes += found.size
  }
  return { count, bytes }
}

const kindsOf = ({ descriptorKinds }: Held) =>
  Object.entries(descriptorKinds)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind.replace('anon_inode:', '')} ${count}`)
    .join(' ')

/** A table with a column for each day. */
export function tableOf(days: readonly DayFigures[]): string {
  const mb = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`
  const kb = (bytes: number) => `${(bytes / 1024).toFixed(0)} kB`
  const names = Object.keys(days[0]?.store.tables ?? {})
  const lines: [string, (figures: DayFigures) => string][] = [
    ...names.map((name): [string, (figures: DayFigures) => string] => [
      name,
      ({ store }) => `${store.tables[name]?.rows} rows, ${kb(store.tables[name]?.bytes ?? 0)}`,
    ]),
    ['partitions of runs', ({ store }) => store.partitions.join(' ')],
    ['large objects, sequences', ({ store }) => `${store.largeObjects}, ${store.sequences}`],
    ['files in the data folder', ({ files }) => `${files.count}, ${mb(files.bytes)}`],
    ['heap, outside of it', ({ process }) => `${mb(process.heap)}, ${mb(process.external)}`],
    ['resident', ({ process }) => mb(process.resident)],
    ['descriptors, connections', ({ process, connections }) => `${process.descriptors}, ${connections}`],
    ['descriptors by kind', ({ process }) => kindsOf(process)],
    ['series of metrics', ({ series }) => String(series)],
    ['processor time since the begin', ({ process }) => `${(process.processorMs / 1000).toFixed(0)} s`],
    ['lateness, median and p99', ({ lateness: { median, p99 } }) => `${median.toFixed(0)}, ${p99.toFixed(0)} ms`],
  ]
  const row = (cells: readonly string[]) => cells.map((cell, n) => cell.padEnd(n === 0 ? 32 : 30)).join('')
  return [
    row(['', ...days.map(({ day }) => `day ${day}`)]),
    ...lines.map(([what, show]) => row([what, ...days.map((one) => show(one))])),
  ].join('\n')
}
