import type { Throughput } from '../checks/throughput.ts'
import { MAX_SET_UP } from '../installation/set-up-size.ts'
import type { Results } from './results.ts'
import type { Spread } from './stats.ts'
import { megabytes, SHORT_NAMES, spread, tenths, whole } from './text.ts'

type Besides = readonly [what: string, cameTo: string, goal: string]

/** Returns the rows of what has no bare loop. */
export function besidesOf({
  bytesPerUnchangedRun,
  claims,
  lateness,
  deliveries,
  throughput,
  startUp,
  commands,
  packaged,
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
    ...(commands ? commandsOf(commands, 'in a clone', CLONE_GOALS) : []),
    ...(packaged ? commandsOf(packaged, 'of the package', PACKAGE_GOALS) : []),
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
  const milliseconds = (ms: Spread): string => `${spread(ms, whole)} ms`
  return [
    [`${whole(deliveries)} webhooks due at once to ${sinks} sinks, p99 late`, seconds(p99.p99Ms), '≤ 5 s'],
    ['the same beside a dead destination', seconds(p99.p99WithDeadMs), 'no later'],
    ['the same messages in a bare loop', seconds(p99.p99BareMs), ''],
    [`${whole(deliveries)} changes more in ${p99.digests} digests, all arrived`, seconds(p99.digestsMs), ''],
    ['the webhooks beside them, p99 late', seconds(p99.p99BesideDigestsMs), ''],
    [`${p99.pacedPerSecond} webhooks a second to these sinks, p99 late`, milliseconds(p99.p99PacedMs), ''],
    ['the same beside the digests', milliseconds(p99.p99PacedBesideDigestsMs), 'no later'],
    ['the digests beside them, all arrived', seconds(p99.digestsBesidePacedMs), '≤ 5 s'],
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
  const { rssBytes: from, restedBytes: restedFrom } = warm
  const { rssBytes: to, restedBytes: restedTo } = end
  const isRested = restedFrom !== undefined && restedTo !== undefined
  return [
    [`heap of a warm worker, ${which}`, growth(warm.heapBytes, end.heapBytes), '≤ +10 %'],
    [`resident memory of it, ${which}`, growth(from, to), isRested ? '' : '≤ +10 %'],
    ...(isRested ? [restedOf(which, restedFrom, restedTo)] : []),
  ]
}

const restedOf = (which: string, from: number, to: number): Besides => [
  `the same after a rest, ${which}`,
  growth(from, to),
  '≤ +10 %',
]

function startUpOf({ firstMs, laterMs }: NonNullable<Results['startUp']>): Besides[] {
  return [
    ['`npm start` to the first answer, the first time', `${(firstMs / 1000).toFixed(1)} s`, ''],
    ['`npm start` to the first answer, later', `${(laterMs.median / 1000).toFixed(1)} s`, '< 5 s'],
  ]
}

interface CommandGoals {
  readonly help: string
  readonly check: string
  readonly ready: string
  readonly rest: string
}
const CLONE_GOALS: CommandGoals = { help: '< 300 ms', check: '< 700 ms', ready: '', rest: '< 160 MB' }
const PACKAGE_GOALS: CommandGoals = { help: '≤ 60 ms', check: '≤ 280 ms', ready: '≤ 0.7 s', rest: '≤ 132 MB' }

function commandsOf(cost: NonNullable<Results['commands']>, where: string, goals: CommandGoals): Besides[] {
  const { helpMs, checkMs, readyMs, restBytes } = cost
  return [
    [`\`tidemark --help\` ${where}, processor time`, `${whole(helpMs)} ms`, goals.help],
    [`\`tidemark check\` ${where} of a small file, processor time`, `${whole(checkMs)} ms`, goals.check],
    [`\`tidemark serve\` ${where} until it says that it runs, later`, `${(readyMs / 1000).toFixed(2)} s`, goals.ready],
    [`resident memory of \`tidemark serve\` ${where} at rest`, `${megabytes(restBytes)} MB`, goals.rest],
  ]
}

/** Returns how the cost of a claim grows with the number of monitors; 1: it does not grow. */
export function flatnessOf(claims: Results['claims']): number | null {
  const plain = claims.filter(({ above }) => above === undefined)
  const first = plain[0]
  const last = plain.at(-1)
  return first && last && first !== last ? last.us.median / first.us.median : null
}
