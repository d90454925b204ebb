import type { Kind } from './bare-loop.ts'
import type { Results } from './results.ts'
import type { Spread } from './stats.ts'

const NAMES: Readonly<Record<Kind, string>> = {
  unchanged: 'page unchanged, no validators: read and hashed',
  etag: 'page unchanged, ETag: answered 304',
  changed: 'page changed each time, one CSS field',
}

/** The results as Markdown, set as the formatter sets tables. */
export function tableOf(results: Results): string {
  const { date, machine, quick, throughput } = results
  const rows = throughput.map(({ kind, ours, bare, ratio, cpu }) => [
    NAMES[kind],
    spread(ours),
    spread(bare),
    `**${percent(ratio.median)}** (${percent(ratio.min)}–${percent(ratio.max)})`,
    `${whole(cpu.worker)} + ${whole(cpu.postgres)}`,
  ])
  const rounds = throughput[0]?.rounds ?? 0
  return [
    `${date.slice(0, 10)}, ${machine.cores} cores, Node ${machine.node}, Postgres ${machine.postgres}${quick ? ', `--quick`' : ''}. Median (least–most) of ${rounds} rounds.`,
    grid(['static checks per second', 'Tidemark', 'bare loop', 'share', 'µs of CPU a check: worker + Postgres'], rows),
    grid(['besides', 'came to'], besides(results)),
  ].join('\n\n')
}

function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[], fill: string): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  return [line(head, ' '), line([], '-'), ...rows.map((row) => line(row, ' '))].join('\n')
}

function besides({ bytesPerUnchangedRun, claims, lateness, startUp }: Results): [string, string][] {
  const rows: [string, string][] = [
    ['on disk for an unchanged run, with its index', `${whole(bytesPerUnchangedRun)} bytes`],
  ]
  for (const { monitors, us } of claims)
    rows.push([
      `claiming one check, ${whole(monitors)} monitors due`,
      `${us.median.toFixed(1)} µs (${us.min.toFixed(1)}–${us.max.toFixed(1)})`,
    ])
  const flatness = flatnessOf(claims)
  if (flatness !== null) rows.push(['the last of these over the first', flatness.toFixed(2)])
  if (lateness)
    rows.push([
      `late at half load (${whole(lateness.perSecond)}/s), p50 and p99`,
      `${whole(lateness.p50Ms)} and ${whole(lateness.p99Ms)} ms`,
    ])
  if (startUp) {
    rows.push(['`npm start` to the first answer, the first time', `${(startUp.firstMs / 1000).toFixed(1)} s`])
    rows.push(['`npm start` to the first answer, later', `${(startUp.laterMs.median / 1000).toFixed(1)} s`])
  }
  return rows
}

/** 1: the cost of a claim does not grow with the number of monitors. */
export function flatnessOf(claims: Results['claims']): number | null {
  const first = claims[0]
  const last = claims.at(-1)
  return first && last && first !== last ? last.us.median / first.us.median : null
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const percent = (value: number): string => `${Math.round(value * 100)} %`
const spread = ({ median, min, max }: Spread): string => `${whole(median)} (${whole(min)}–${whole(max)})`

const BEGIN = '<!-- results: written by bench/main.ts -->'
const END = '<!-- end of results -->'

/** Puts the table between the page's markers. Throws when they are missing. */
export function withTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error('the page has no place for the results')
  return `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`
}
