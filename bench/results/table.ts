import type { NeighbourWaits } from '../api/neighbour.ts'
import type { Kind } from '../checks/bare-loop.ts'
import type { RetentionCost } from '../checks/retention.ts'
import type { Throughput } from '../checks/throughput.ts'
import type { OperatorCost } from '../cluster/operator.ts'
import type { PodsOverTime } from '../cluster/pods.ts'
import type { ImageSizes } from '../installation/image-sizes.ts'
import { MAX_SET_UP } from '../installation/set-up-size.ts'
import { dashboardRows } from './dashboard-table.ts'
import type { Results } from './results.ts'
import type { Spread } from './stats.ts'

const NAMES: Readonly<Record<Kind, string>> = {
  unchanged: 'page unchanged, no validators: read and hashed',
  etag: 'page unchanged, ETag: answered 304',
  changed: 'page changed each time, one CSS field',
}

const SHORT_NAMES: Readonly<Record<Kind, string>> = {
  unchanged: 'unchanged pages',
  etag: 'pages answered 304',
  changed: 'pages that change each time',
}

/** Returns the results as Markdown, in the layout that the formatter gives tables. */
export function tableOf(results: Results): string {
  const { date, machine, quick, throughput } = results
  const rows = throughput.map(({ kind, ours, bare, ratio, cpu }) => [
    NAMES[kind],
    spread(ours),
    spread(bare),
    share(ratio),
    `${whole(cpu.worker)} + ${whole(cpu.postgres)}`,
  ])
  const rounds = throughput[0]?.rounds
  return [
    `${date.slice(0, 10)}, ${machine.cores} cores, Node ${machine.node}, Postgres ` +
      `${machine.postgres}${quick ? ', `--quick`' : ''}. Median ` +
      `(least–most)${rounds === undefined ? '' : ` of ${rounds} rounds`}.`,
    ...(rows.length > 0 ? [grid(CHECKS_HEAD, rows)] : []),
    ...(results.browser ? [browserOf(results.browser)] : []),
    ...(results.reads.length > 0 ? [readsOf(results.reads)] : []),
    grid(['besides', 'came to', 'goal'], besidesOf(results)),
    ...(results.operator ? [operatorOf(results.operator)] : []),
    ...(results.retention ? [retentionOf(results.retention)] : []),
    ...(results.neighbour ? [neighbourOf(results.neighbour)] : []),
    ...(results.dashboard
      ? [
          grid(
            [`the dashboard, ${results.dashboard.date.slice(0, 10)}`, 'came to', 'goal'],
            dashboardRows(results.dashboard),
          ),
        ]
      : []),
    ...(results.images ? [imagesOf(results.images)] : []),
    ...(results.pods ? [podsOf(results.pods)] : []),
    ...(rows.length > 0 ? [peersOf(throughput)] : []),
  ].join('\n\n')
}

const CHECKS_HEAD = [
  'static checks per second',
  'Tidemark',
  'bare loop',
  'share',
  'µs of CPU a check: worker + Postgres',
]

function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[], fill: string): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  return [line(head, ' '), line([], '-'), ...rows.map((row) => line(row, ' '))].join('\n')
}

function readsOf(reads: Results['reads']): string {
  const rows = reads.map(({ route, ours, bare, ratio, cpu }) => [
    `\`${route}\``,
    spread(ours),
    spread(bare),
    share(ratio),
    `${whole(cpu.ours)} and ${whole(cpu.bare)}`,
  ])
  return grid(
    [
      'answers of the API per second',
      'Tidemark',
      'bare Fastify',
      'share',
      'µs of CPU an answer: both, without Postgres',
    ],
    rows,
  )
}

function browserOf({ atOnce, ours, bare, ratio }: NonNullable<Results['browser']>): string {
  const row = [
    `page made by its script, ${atOnce} at once`,
    spread(ours, tenths),
    spread(bare, tenths),
    `${share(ratio)}; goal ≥ 80 %`,
  ]
  return grid(['browser checks per second', 'Tidemark', 'bare Playwright', 'share'], [row])
}

type Besides = readonly [what: string, cameTo: string, goal: string]

function besidesOf({
  bytesPerUnchangedRun,
  claims,
  lateness,
  deliveries,
  throughput,
  startUp,
  commands,
  setUp,
  browser,
  visual,
}: Results): Besides[] {
  return [
    ...(bytesPerUnchangedRun === null ? [] : [onDisk(bytesPerUnchangedRun)]),
    ...claimsOf(claims),
    ...(lateness ? [latenessOf(lateness)] : []),
    ...(deliveries ? deliveriesOf(deliveries) : []),
    ...(visual ? visualOf(visual) : []),
    ...throughput.flatMap(memoryOf),
    ...(browser ? browserMemoryOf(browser.memory) : []),
    ...(startUp ? startUpOf(startUp) : []),
    ...(commands ? commandsOf(commands) : []),
    ['installed by `npm ci`, as `du` counts', `${megabytes(setUp.all)} MB`, `≤ ${megabytes(MAX_SET_UP.all)}`],
    [
      'of these to run it, without what only development needs',
      `${megabytes(setUp.production)} MB`,
      `≤ ${megabytes(MAX_SET_UP.production)}`,
    ],
  ]
}

const onDisk = (bytes: number): Besides => [
  'on disk for an unchanged run, with its index',
  `${whole(bytes)} bytes`,
  '≤ 200',
]

function claimsOf(claims: Results['claims']): Besides[] {
  const flatness = flatnessOf(claims)
  const rows = claims.map(({ monitors, above, us }): Besides => [
    `claiming one check, ${whole(monitors)} monitors due` +
      (above === undefined ? '' : ` behind ${whole(above)} above the level`),
    `${us.median.toFixed(1)} µs (${us.min.toFixed(1)}–${us.max.toFixed(1)})`,
    '',
  ])
  return flatness === null ? rows : [...rows, ['the most monitors over the fewest', flatness.toFixed(2), '≤ 2']]
}

function latenessOf({ perSecond, p50Ms, p99Ms }: NonNullable<Results['lateness']>): Besides {
  return [`late at half load (${whole(perSecond)}/s), p50 and p99`, `${whole(p50Ms)} and ${whole(p99Ms)} ms`, '']
}

function deliveriesOf({ deliveries, sinks, ...p99 }: NonNullable<Results['deliveries']>): Besides[] {
  const seconds = ({ median, min, max }: Spread): string =>
    `${(median / 1000).toFixed(1)} s (${(min / 1000).toFixed(1)}–${(max / 1000).toFixed(1)})`
  return [
    [`${whole(deliveries)} webhooks due at once to ${sinks} sinks, p99 late`, seconds(p99.p99Ms), '≤ 5 s'],
    ['the same beside a dead destination', seconds(p99.p99WithDeadMs), 'no later'],
    ['the same messages in a bare loop', seconds(p99.p99BareMs), ''],
  ]
}

/** Milliseconds of processor time for a megapixel: of a whole comparison, and of its comparing step alone. */
function visualOf({ megapixels, cases }: NonNullable<Results['visual']>): Besides[] {
  return cases.map(({ name, wholeMs, compareMs }) => [
    `comparing two pictures of ${megapixels} megapixels, ${name}, a megapixel`,
    `${spread(wholeMs, tenths)} ms of CPU; ${tenths(compareMs.median)} without decoding and drawing`,
    '',
  ])
}

function browserMemoryOf({ checks, warm, end }: NonNullable<Results['browser']>['memory']): Besides[] {
  if (checks === 0) return []
  const which = `browser checks, ${whole(checks)} more`
  return [
    [`resident memory of a warm runner, ${which}`, growth(warm.processBytes, end.processBytes), '≤ +10 %'],
    [`with its browser, ${which}`, growth(warm.withBrowserBytes, end.withBrowserBytes), ''],
  ]
}

const growth = (from: number, to: number): string =>
  `${megabytes(from)} → ${megabytes(to)} MB (${to >= from ? '+' : '−'}${Math.abs((to / from - 1) * 100).toFixed(0)} %)`

function memoryOf({ kind, memory: { checks, warm, end } }: Throughput): Besides[] {
  const which = `${SHORT_NAMES[kind]}, ${whole(checks)} checks more`
  return [
    [`heap of a warm worker, ${which}`, growth(warm.heapBytes, end.heapBytes), '≤ +10 %'],
    [`resident memory of it, ${which}`, growth(warm.rssBytes, end.rssBytes), '≤ +10 %'],
  ]
}

function startUpOf({ firstMs, laterMs }: NonNullable<Results['startUp']>): Besides[] {
  return [
    ['`npm start` to the first answer, the first time', `${(firstMs / 1000).toFixed(1)} s`, ''],
    ['`npm start` to the first answer, later', `${(laterMs.median / 1000).toFixed(1)} s`, '< 5 s'],
  ]
}

function commandsOf({ helpMs, checkMs, restBytes }: NonNullable<Results['commands']>): Besides[] {
  return [
    ['`tidemark --help`, processor time', `${whole(helpMs)} ms`, '< 300 ms'],
    ['`tidemark check` of a small file, processor time', `${whole(checkMs)} ms`, '< 700 ms'],
    ['resident memory of `tidemark serve` at rest', `${megabytes(restBytes)} MB`, '< 160 MB'],
  ]
}

function retentionOf({ date, runs, monitors, ...cost }: RetentionCost): string {
  const statements = ({ p50Ms, p99Ms, mostMs }: RetentionCost['before']) =>
    `${tenths(p50Ms)}, ${tenths(p99Ms)} and ${tenths(mostMs)} ms`
  return grid(
    [`clean-up of ${whole(runs)} runs of ${whole(monitors)} monitors, ${date.slice(0, 10)}`, 'came to', 'goal'],
    [
      ['runs deleted one by one', `${whole(cost.deleted)} in ${tenths(cost.seconds)} s`, ''],
      ['runs dropped with their months', `${whole(cost.dropped)} in ${cost.months} months`, ''],
      ['claims and records before it: p50, p99, most', statements(cost.before), ''],
      ['claims and records beside it: p50, p99, most', statements(cost.during), ''],
      ['looks at the locks, and waits for a lock of the clean-up', `${whole(cost.looks)}, ${cost.waits}`, '0 waits'],
    ],
  )
}

function neighbourOf({ date, rows, atOnce }: NeighbourWaits): string {
  return grid(
    [
      `waits of a neighbour beside ${atOnce} clients of a free team, ${date.slice(0, 10)}`,
      'p50, p99, most',
      'answers to the others, of these 429',
      'most memory of the API',
    ],
    rows.map(({ beside, p50Ms, p99Ms, mostMs, count, failed, answers, refused, mostBytes }) => [
      (beside ?? 'alone') + (failed === 0 ? '' : `; ${whole(failed)} of ${whole(count)} answers failed`),
      `${tenths(p50Ms)}, ${tenths(p99Ms)} and ${tenths(mostMs)} ms`,
      beside === null ? '' : `${whole(answers)}, ${whole(refused)}`,
      `${megabytes(mostBytes)} MB`,
    ]),
  )
}

function operatorOf({ date, resources, first, again, resultsMs, firstRun, rest }: OperatorCost): string {
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
  const cpu = (ms: number): string => `${seconds(ms)} of CPU`
  return grid(
    [`operator of ${whole(resources)} resources, ${date.slice(0, 10)}`, 'came to', 'goal'],
    [
      ['started the first time: all records', seconds(first.recordsMs), '< 60 s'],
      ['started the first time: all statuses', `${seconds(first.statusesMs)}; ${cpu(first.cpuMs)}`, '< 300 s'],
      ['the same: requests that the API server refused (429)', whole(first.refused), '0'],
      ['the same: most resident memory', `${megabytes(first.mostBytes)} MB`, ''],
      ['started again, nothing to change', `${spread(again.ms, seconds)}; ${cpu(again.cpuMs)}`, '< 30 s'],
      ['the same: most resident memory', `${megabytes(again.mostBytes)} MB`, '< 300 MB'],
      ['the same: writes to the cluster', whole(again.writes), '0'],
      ['first run of all, last record to last status', seconds(resultsMs), ''],
      [
        `one resource, applied to its recorded run, ${firstRun.applied} times`,
        `${spread(firstRun.ms)} ms`,
        '< 1,000 ms',
      ],
      [`status writes of ${whole(rest.runs)} unchanged runs, as in an hour`, whole(rest.statusWrites), '0'],
      ['processor time at rest', `${tenths(rest.cpuMsASecond)} ms a second`, ''],
    ],
  )
}

function imagesOf({ date, images }: ImageSizes): string {
  return grid(
    [`images, ${date.slice(0, 10)}`, 'on a node', 'compressed'],
    images.map(({ name, bytes, compressed }) => [
      `\`${name}\``,
      `${megabytes(bytes)} MB`,
      `${megabytes(compressed)} MB`,
    ]),
  )
}

function podsOf({ date, checks, max, slots, idleSeconds, pods, ...at }: PodsOverTime): string {
  const seconds = (time: number): string => `${tenths(time)} s`
  return grid(
    [`${whole(checks)} browser checks at once, ${max} pods of ${slots} at most, ${date.slice(0, 10)}`, 'came to'],
    [
      ['all resources applied', seconds(at.appliedS)],
      ['the first check began', seconds(at.firstClaimS)],
      ['the last check ended', seconds(at.doneS)],
      [`no pods any more, each of which waits ${idleSeconds} s for work`, seconds(at.noPodsS)],
      ['most pods', whole(Math.max(...pods))],
      ['pods, every fifth second', pods.filter((_, n) => n % 5 === 4).join(' ')],
    ],
  )
}

/** Checks a second of other programs: see the page. Null: the program does not support that. */
const PEERS: Readonly<
  Record<Kind, readonly [urlwatch: number | null, changedetection: number | null, webchanges: number | null]>
> = {
  unchanged: [533, 180, 41],
  etag: [701, null, 42],
  changed: [569, 52, 40],
}

function peersOf(throughput: Results['throughput']): string {
  const rows = throughput.map(({ kind, ours }) => [
    SHORT_NAMES[kind],
    whole(ours.median),
    ...PEERS[kind].map((rate) => (rate === null ? '–' : `${rate} (${(ours.median / rate).toFixed(1)} ×)`)),
  ])
  return grid(
    ['checks per second, and ours over theirs', 'Tidemark', 'urlwatch', 'changedetection.io', 'webchanges'],
    rows,
  )
}

/** Returns how the cost of a claim grows with the number of monitors; 1: it does not grow. */
export function flatnessOf(claims: Results['claims']): number | null {
  const plain = claims.filter(({ above }) => above === undefined)
  const first = plain[0]
  const last = plain.at(-1)
  return first && last && first !== last ? last.us.median / first.us.median : null
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const percent = (value: number): string => `${Math.round(value * 100)} %`
const megabytes = (bytes: number): string => whole(bytes / 1_000_000)
const share = ({ median, min, max }: Spread): string => `**${percent(median)}** (${percent(min)}–${percent(max)})`
const tenths = (value: number): string => value.toFixed(1)
const spread = ({ median, min, max }: Spread, format = whole): string =>
  `${format(median)} (${format(min)}–${format(max)})`

const BEGIN = '<!-- results: written by bench/main.ts -->'
const END = '<!-- end of results -->'

/** Puts the table between the page's markers. Throws when they are missing. */
export function withTable(page: string, table: string): string {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error('the page has no place for the results')
  return `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`
}
