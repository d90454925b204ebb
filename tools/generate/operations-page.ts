import { readFileSync } from 'node:fs'
import { paragraph, table } from './markdown.ts'

const PAGE = new URL('../../docs/operations.md', import.meta.url)
const RESULTS = new URL('../../bench/results/results.json', import.meta.url)
const SECTION = /(<!-- sizes: [^\n]* -->\n)[^]*?(<!-- end of sizes -->)/

/** What the page needs of bench/results/results.json. */
interface Results {
  readonly date: string
  readonly machine: { readonly cores: number }
  readonly throughput: readonly {
    readonly kind: string
    readonly ours: { readonly median: number }
    readonly cpu: { readonly worker: number; readonly postgres: number }
    readonly memory: { readonly end: { readonly rssBytes: number } }
  }[]
  readonly bytesPerUnchangedRun: number
  readonly browser: {
    readonly ours: { readonly median: number }
    readonly memory: { readonly end: { readonly withBrowserBytes: number } }
  }
  readonly commands: { readonly restBytes: number }
}

/** Monitors, and the seconds between two of their runs. */
const LOADS: readonly (readonly [monitors: number, seconds: number, every: string])[] = [
  [100, 60, 'minute'],
  [1_000, 60, 'minute'],
  [10_000, 300, 'five minutes'],
  [100_000, 900, 'quarter of an hour'],
  [100_000, 300, 'five minutes'],
]

/** Returns docs/operations.md with its section about sizes written anew. Throws where the page has no such section. */
export function operationsPage(): string {
  const page = readFileSync(PAGE, 'utf8')
  if (!SECTION.test(page)) throw new Error('docs/operations.md has no section about sizes')
  const section = sizes(JSON.parse(readFileSync(RESULTS, 'utf8')) as Results)
  return page.replace(SECTION, (_, start: string, end: string) => `${start}\n${section}\n\n${end}`)
}

function sizes(results: Results): string {
  const of = (kind: string) => {
    const found = results.throughput.find((one) => one.kind === kind)
    if (!found) throw new Error(`bench/results/results.json has no ${kind} checks`)
    return {
      perSecond: found.ours.median,
      us: found.cpu.worker + found.cpu.postgres,
      memory: found.memory.end.rssBytes,
    }
  }
  const [unchanged, changed] = [of('unchanged'), of('changed')]
  const { cores } = results.machine
  const rows = LOADS.map(([monitors, seconds, every]) => {
    const perSecond = monitors / seconds
    return [
      `${count(monitors)} every ${every}`,
      rounded(perSecond),
      share((perSecond * unchanged.us) / 1e6),
      share((perSecond * changed.us) / 1e6),
      disk(perSecond * 86_400 * results.bytesPerUnchangedRun),
    ]
  })
  const withBrowser = megabytes(results.browser.memory.end.withBrowserBytes)
  return [
    paragraph(
      `One worker with its Postgres, on a machine of ${cores} cores, measured on ${results.date.slice(0, 10)}: ` +
        `${count(unchanged.perSecond)} plain checks a second of pages that did not change, ` +
        `${count(changed.perSecond)} of pages of 20 KB that changed each time, and ` +
        `${results.browser.ours.median.toFixed(1)} in a browser. For your load that is:`,
    ),
    '',
    table(
      [
        'Monitors',
        'Checks a second',
        'Cores, no page changes',
        'Cores, every page changes',
        'Disk a day, no page changes',
      ],
      rows,
    ),
    '',
    paragraph(
      '- **Disk.** A day takes that until it has been over for a day. Then runs without a change are ' +
        '[folded](decisions/0062-unchanged-runs-of-past-days-are-folded.md), and the day takes a fifth of it.',
      '  ',
    ),
    paragraph(
      `- **Memory.** \`npm start\` at rest takes ${megabytes(results.commands.restBytes)}, a worker at full load ` +
        `${megabytes(unchanged.memory)}, a runner with its browser ${withBrowser}. Postgres comes on top.`,
      '  ',
    ),
  ].join('\n')
}

const count = (value: number) => Number(value.toPrecision(2)).toLocaleString('en')
const rounded = (value: number) => (value < 10 ? value.toFixed(1) : count(value))
const share = (cores: number) => (cores < 0.01 ? 'below 0.01' : cores.toFixed(2))
const megabytes = (bytes: number) => `${count(bytes / 1e6)} MB`
const disk = (bytes: number) => (bytes < 1e9 ? `${count(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`)
