import type { Kind } from '../checks/bare-loop.ts'
import type { BesideUrlwatch } from '../checks/beside-urlwatch.ts'
import type { Results } from './results.ts'
import { grid, share, SHORT_NAMES, spread, tenths, whole } from './text.ts'

const NAMES: Readonly<Record<Kind, string>> = {
  unchanged: 'page unchanged, no validators: read and hashed',
  etag: 'page unchanged, ETag: answered 304',
  changed: 'page changed each time, one CSS field',
  large: 'the same of 240 KB, the field at its middle',
}

const CHECKS_HEAD = [
  'static checks per second',
  'Tidemark',
  'bare loop',
  'share',
  'µs of CPU a check: worker + Postgres',
]

/** Returns static checks beside the bare loop. */
export function checksOf(throughput: Results['throughput']): string {
  const rows = throughput.map(({ kind, ours, bare, ratio, cpu }) => [
    NAMES[kind],
    spread(ours),
    spread(bare),
    share(ratio),
    `${whole(cpu.worker)} + ${whole(cpu.postgres)}`,
  ])
  return grid(CHECKS_HEAD, rows)
}

export function browserOf({ atOnce, ours, bare, ratio, media }: NonNullable<Results['browser']>): string {
  const row = [
    `page made by its script, ${atOnce} at once`,
    spread(ours, tenths),
    spread(bare, tenths),
    `${share(ratio)}; goal ≥ 80 %`,
  ]
  const kilobytes = (bytes: number) => whole(bytes / 1000)
  const ofMedia = [
    `page with 90 images, for its values; ${kilobytes(media.oursBytes)} KB in place of ${kilobytes(media.bareBytes)}`,
    spread(media.ours, tenths),
    spread(media.bare, tenths),
    `${share(media.ratio)}; goal ≥ 150 %`,
  ]
  return grid(['browser checks per second', 'Tidemark', 'bare Playwright', 'share'], [row, ofMedia])
}

export function readsOf(reads: Results['reads']): string {
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

/** Checks a second of other programs: see the page. Null: the program does not support that. */
const PEERS: Readonly<
  Record<Kind, readonly [urlwatch: number | null, changedetection: number | null, webchanges: number | null]>
> = {
  unchanged: [533, 180, 41],
  etag: [701, null, 42],
  changed: [569, 52, 40],
  large: [null, null, null],
}

const GOALS: Readonly<Record<Kind, string>> = { unchanged: '', etag: '', changed: '≥ 3 ×', large: '≥ 1.5 ×' }

/** Returns rounds of urlwatch beside ours of the same minutes. */
export function urlwatchOf({ date, version, rows }: BesideUrlwatch): string {
  return grid(
    [`checks per second, in turn, ${date.slice(0, 10)}`, 'Tidemark', `urlwatch ${version}`, 'ours over theirs', 'goal'],
    rows.map(({ kind, ours, theirs, ratio }) => [
      NAMES[kind],
      spread(ours),
      spread(theirs),
      `**${ratio.median.toFixed(1)} ×** (${ratio.min.toFixed(1)}–${ratio.max.toFixed(1)})`,
      GOALS[kind],
    ]),
  )
}

export function peersOf(throughput: Results['throughput']): string {
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
