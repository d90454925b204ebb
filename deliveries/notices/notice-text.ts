import { MAX_ATTEMPTS } from '../../core/machine/delivery.ts'
import { FAILURES_UNTIL_PAUSED } from '../../core/schedule.ts'
import { cleanText } from '../../core/text/clean-text.ts'
import { DISK_SLACK, DISK_STOPS_AT, type DiskPlaceName, usedPercent } from '../../schema/disk.ts'
import type { NoticeKind } from '../../schema/monitor/delivery-config.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { NoticePayload } from '../../schema/run/notice.ts'
import { shorten } from '../messages/shorten.ts'
import { ABOVE_LEVEL } from './above-level-text.ts'
import { RUNNER_TOKEN_REUSED } from './runner-token-text.ts'

/** The facts of an event under the name of its kind. */
export type Blocks = Pick<NoticePayload, 'failing' | 'field_missing' | 'delivery_dead' | 'quota'>

interface Subject {
  readonly kind: NoticeKind
  readonly blocks: Blocks
  /** The monitor's; null when the event is about the team. */
  readonly name: string | null
  /** The kind of the monitor; null when the event is about the team. */
  readonly about: MonitorKind | null
}

interface NoticeText {
  /** One line. */
  readonly title: string
  /** Sentences, one on each line. */
  readonly message: string
}

const LONGEST_NAME = 200
const LONGEST_REASON = 1_000
const LONGEST_NAMES = 1_000

/** Returns the words of a notice: which monitor, what happened, what to do, and when one hears of it again. */
export function textOf({ kind, blocks, name: given, about }: Subject): NoticeText {
  const name = shorten(cleanText(given ?? '') || 'Monitor', LONGEST_NAME)
  switch (kind) {
    case 'failing':
      if (blocks.failing?.consecutive_failures === 0) return ofTeam(blocks.failing)
      return (FAILING[about ?? ''] ?? pageFailing)(name, blocks.failing)
    case 'recovered':
      return textWith(`${name} works again`, ['The monitor works again.'])
    case 'field_missing':
      return fieldMissing(name, blocks.field_missing ?? { fields: [], all: true })
    case 'delivery_dead':
      return deliveryDead(name, blocks.delivery_dead)
    case 'quota':
      return quota(blocks.quota)
  }
}

const textWith = (title: string, lines: readonly string[]): NoticeText => ({ title, message: lines.join('\n') })

const WAITING = [
  'Monitors of this team need a browser, and no process of this installation takes their checks.',
  'Start a runner, or let a worker render pages (TIDEMARK_BROWSER_PAGES). Other monitors go on.',
]

/** The titles of notices about a team or the installation, by `error_code`. */
const TITLES: Readonly<Record<string, string>> = {
  [ABOVE_LEVEL]: 'Work waits for a later version',
  [RUNNER_TOKEN_REUSED]: 'A runner token was revoked: it was copied',
}

/** No monitor is failing: checks wait, files of a folder are gone, or a runner token was copied. */
function ofTeam({ error_code: code, error_message: message }: NonNullable<Blocks['failing']>): NoticeText {
  if (code === null) return textWith('Monitors without a file were not deleted', [message ?? ''])
  const title = TITLES[code]
  return title === undefined ? textWith('Checks wait for a browser', WAITING) : textWith(title, [message ?? ''])
}

const lastReason = (reason: string | null) =>
  reason === null ? [] : [`The last time: ${shorten(cleanText(reason), LONGEST_REASON)}`]

const failing = (reason: string | null) => [
  'The monitor has failed five times in a row.',
  ...lastReason(reason),
  'It goes on, more and more seldom, at least every 15 minutes or at its interval. You will hear once more, when it ' +
    'works again.',
]

/** A search is not checked more and more seldom: it pauses itself. */
const pageFailing = (name: string, block: Blocks['failing']): NoticeText =>
  textWith(`${name} is failing`, failing(block?.error_message ?? null))

/** The words about kinds that do not back off, by the kind. */
const FAILING: Readonly<Partial<Record<MonitorKind, typeof pageFailing>>> = { serp: searchFailing }

function searchFailing(name: string, block: Blocks['failing']): NoticeText {
  const reason = lastReason(block?.error_message ?? null)
  if ((block?.consecutive_failures ?? 0) < FAILURES_UNTIL_PAUSED)
    return textWith(`${name} is failing`, [
      'The SERP monitor has failed five times in a row.',
      ...reason,
      `After ${FAILURES_UNTIL_PAUSED} failures in a row it pauses itself. You will hear once more: then, or when it ` +
        'works again.',
    ])
  return textWith(`${name} has paused itself`, [
    `The SERP monitor has failed ${block?.consecutive_failures} times in a row, and makes no more checks.`,
    ...reason,
    'Remove the cause and resume it. You will hear once more, when it works again.',
  ])
}

function fieldMissing(name: string, { fields, all }: NonNullable<Blocks['field_missing']>): NoticeText {
  if (all)
    return textWith(`${name} finds nothing`, [
      'The monitor gets its page, but every field that it extracts is empty. It cannot notice a change.',
      'Compare its rules with the page as it is now. Where scripts make the page, set fetch_mode to browser.',
      'It goes on as before. You will hear once more, when a field has a value.',
    ])
  const names = namesOf(fields)
  return textWith(`${name} no longer finds ${shorten(names, 100)}`, [
    `Missing for three runs in a row, and there before: ${names}.`,
    'If the page was rebuilt, change the rules of these fields. The monitor goes on.',
  ])
}

/** Returns the names as far as there is room, and how many more there are. The payload has them all. */
function namesOf(fields: readonly string[]): string {
  const shown: string[] = []
  let room = LONGEST_NAMES
  for (const field of fields) {
    const name = shorten(cleanText(field), 100)
    room -= name.length + 2
    if (room < 0) break
    shown.push(name)
  }
  const left = fields.length - shown.length
  return shown.join(', ') + (left > 0 ? ` and ${left} more` : '')
}

function deliveryDead(name: string, dead: Blocks['delivery_dead']): NoticeText {
  const where = dead?.destination ?? 'a destination'
  const status = dead?.response_status ?? null
  const answer = status === null ? '' : ` The last answer was ${status}.`
  return textWith(`${name} cannot deliver to ${where}`, [
    dead?.status === 'dead'
      ? `A delivery to ${where} was given up after ${MAX_ATTEMPTS} attempts.${answer}`
      : `A delivery to ${where} was given up: it was refused for good.${answer}`,
    `When the destination works again, replay it: POST /v1/deliveries/${dead?.delivery_id ?? '{id}'}/replay`,
    'You will hear of this destination again only after it has taken a delivery.',
  ])
}

const POOLS = {
  runs: 'runs',
  visual: 'visual runs of the trial',
  serp: 'SERP runs of the trial',
  pictures: 'bytes of pictures',
  trial: 'days of the trial',
  disk: 'bytes of the disk',
} as const
/** The end of a period, as a person reads it. Null: it is not renewed. */
const endOf = (resetsAt: string | null) => (resetsAt === null ? null : `${DAY.format(Date.parse(resetsAt))} UTC`)
const NUMBER = new Intl.NumberFormat('en')
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

function quota(used: Blocks['quota']): NoticeText {
  if (!used) return textWith('The runs of the plan are nearly used', [])
  const { pool, threshold_pct: percent, used: count, limit, credits_remaining: credits, resets_at: resetsAt } = used
  if (used.locked !== undefined) return locked(pool, used.locked)
  if (used.needs !== undefined) return tooFew(used, used.needs)
  if (used.place !== undefined) return disk(used.place, used)
  const until = endOf(resetsAt)
  const figures = `${NUMBER.format(count)} of ${NUMBER.format(limit)} ${POOLS[pool]} are used.`
  const isPictures = pool === 'pictures'
  const more = isPictures
    ? 'Longer intervals, regions and smaller viewports use less; a larger plan gives more.'
    : 'Longer intervals use fewer runs; a larger plan or run credits give more.'
  if (percent < 100)
    return textWith(`${percent} % of the ${POOLS[pool]} are used`, [
      figures,
      until === null
        ? `The ${isPictures ? 'bytes' : 'runs'} of a trial are not renewed.`
        : `They are renewed on ${until}.`,
      more,
    ])
  if (isPictures)
    return textWith('The bytes of pictures are used up', [
      `${figures} The next pictures do not fit.`,
      'Fields are checked as before. Pictures that changed are neither stored nor compared.',
      until === null ? 'Pictures go on with a plan.' : `Pictures go on on ${until}.`,
      more,
    ])
  if (credits > 0)
    return textWith(`All ${POOLS[pool]} are used`, [
      figures,
      `Run credits pay from now on: ${NUMBER.format(credits)} left.`,
      more,
    ])
  return textWith(`All ${POOLS[pool]} are used, and checks have stopped`, [
    figures,
    until === null ? 'Checks go on when there are run credits or a plan.' : `Checks go on on ${until}.`,
    more,
  ])
}

const DISKS: Readonly<Record<DiskPlaceName, { readonly title: string; readonly more: string }>> = {
  data_folder: {
    title: 'The disk of the data folder',
    more:
      'Delete what else is on this disk, move the data folder to a larger one, or keep less: shorter retention, ' +
      'fewer pictures.',
  },
  database: {
    title: 'The database',
    more: 'Give the database more room and raise TIDEMARK_DATABASE_MAX_BYTES, or keep less: shorter retention.',
  },
}

/** It is about the installation: its first team gets it. */
function disk(place: DiskPlaceName, { threshold_pct: level, used, limit }: NonNullable<Blocks['quota']>): NoticeText {
  const { title, more } = DISKS[place]
  const figures = `${NUMBER.format(used)} of ${NUMBER.format(limit)} bytes are used.`
  const percent = usedPercent({ used, size: limit })
  return level < DISK_STOPS_AT
    ? textWith(`${title} is ${percent} % full`, [
        figures,
        `From ${DISK_STOPS_AT} % on, previews are refused, and new pictures are neither kept nor compared.`,
        more,
      ])
    : textWith(`${title} is ${percent} % full, and previews and pictures have stopped`, [
        figures,
        'Checks and deliveries go on until the disk is full. Runs say that their pictures are missing.',
        more,
        `They go on by themselves below ${DISK_STOPS_AT - DISK_SLACK} %.`,
      ])
}

/** Runs are left, and checks of searches still stop. */
function tooFew(
  { pool, used, limit, credits_remaining: credits, resets_at: resetsAt }: NonNullable<Blocks['quota']>,
  needs: number,
): NoticeText {
  const until = endOf(resetsAt)
  const left = Math.max(limit - used, 0) + credits
  const figures = limit > 0 ? [`${NUMBER.format(used)} of ${NUMBER.format(limit)} ${POOLS[pool]} are used.`] : []
  return textWith('Too few runs are left for searches, and their checks are skipped', [
    `A SERP monitor needs ${needs} runs for its pages, and ${left} ${left === 1 ? 'is' : 'are'} left.`,
    ...figures,
    `It is checked again when there are enough${until === null ? '' : `, at the latest from ${until}`}. ` +
      'Monitors that need fewer runs go on until they are used.',
    'Fewer pages and longer intervals use fewer runs; a larger plan or run credits give more.',
  ])
}

function locked(pool: keyof typeof POOLS, count: number): NoticeText {
  const isTrial = pool === 'trial'
  const what = `${NUMBER.format(count)} ${isTrial ? 'monitor' : 'SERP monitor'}${count === 1 ? '' : 's'}`
  const are = count === 1 ? 'is' : 'are'
  const stopped = `${what} ${are} locked: no more checks. Settings and history are kept.`
  return isTrial
    ? textWith('The trial has ended, and checks have stopped', [stopped, 'A plan starts them again at once.'])
    : textWith('SERP monitors are locked', [
        stopped,
        'The plan does not include SERP, and no run credits are left. Credits or a plan with SERP start them again.',
      ])
}
