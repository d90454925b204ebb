import { printable } from '../../../core/printable.ts'
import { print, tell } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import { resourceKindOf } from '../../../schema/resource-kind.ts'
import {
  type Column,
  distance,
  formOf,
  inLines,
  interval,
  isForPrograms,
  printItems,
  terminalWidth,
} from '../../output.ts'
import { connect } from '../connect.ts'
import { arrivedCell, lostMessages, NO_DESTINATION } from '../delivery-words.ts'
import { factsOf, type MonitorFacts } from '../monitor-facts.ts'
import { forEachRecord, listedKinds, listRecords, nameOf, referencesOf, watchedBy } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import type { RemoteRecord } from '../remote-kinds.ts'
import { someAtOnce } from '../some-at-once.ts'

interface GetOptions {
  readonly status?: string
  readonly label?: string
}

const COLOURS = {
  active: 'good',
  error: 'bad',
  paused: 'waiting',
  billing_paused: 'waiting',
  deleted: 'aside',
} as const

/** Returns the status of a monitor as a cell. */
export const statusOf = ({ record: { status, mute } }: RemoteRecord) => ({
  text: mute ? `${status}, muted` : status,
  colour: COLOURS[status],
})

const columnsWith = (facts: ReadonlyMap<RemoteRecord, MonitorFacts>): readonly Column<RemoteRecord>[] => [
  { head: 'NAME', cell: ({ record }) => record.name },
  { head: 'KIND', cell: ({ kind }) => resourceKindOf(kind).singular, isWide: true },
  { head: 'STATUS', cell: statusOf },
  { head: 'INTERVAL', cell: ({ record }) => interval(record.schedule_interval_seconds), isWide: true },
  { head: 'LAST RUN', cell: ({ record }) => distance(record.last_run_at) },
  { head: 'NEXT RUN', cell: ({ record }) => distance(record.next_run_at), isWide: true },
  {
    head: 'FAILURES',
    cell: ({ record: { consecutive_failures: count } }) => (count > 0 ? { text: String(count), colour: 'bad' } : '0'),
  },
  {
    head: 'DELIVERED',
    cell: (found) =>
      found.record.deliveries.length === 0 ? NO_DESTINATION : arrivedCell(facts.get(found)?.messages ?? []),
  },
  { head: 'KEY', cell: ({ record }) => record.external_key ?? '-', isWide: true },
  { head: 'ID', cell: ({ record }) => record.id, isWide: true },
  { head: 'WATCHES', cell: watchedBy, isCut: true },
]

/** Prints monitors in the form of the options. */
export const get: Handler<GetOptions> = async ({ io, words, options }) => {
  const { kind, references } = referencesOf(words)
  const { status, label } = options
  if ((status ?? label) !== undefined && references.length > 0)
    throw new RemoteError('--status and --label are for lists: leave the names out', 'usage')
  const listed = listedKinds(kind, status)
  const client = connect(io, options)
  const items: RemoteRecord[] = references.length === 0 ? await listRecords(client, listed, { status, label }) : []
  const ending = await forEachRecord(io, { client, references }, async (found) => void items.push(found))
  const form = formOf(options)
  // Where none of those that are named exists, that has been reported. Programs that named several get an empty list.
  const isNothing = references.length > 0 && items.length === 0
  if (isNothing && (references.length === 1 || !isForPrograms(form))) return ending
  const facts = form === 'table' || form === 'wide' ? await factsOfAll(io, client, items) : NO_FACTS
  await printItems(
    io,
    form,
    {
      items,
      columns: columnsWith(facts),
      name: nameOf,
      data: ({ record }) => record,
      none: 'There are no monitors.',
    },
    references.length === 1,
  )
  printTroubles(io, facts)
  return ending
}

const NO_FACTS: ReadonlyMap<RemoteRecord, MonitorFacts> = new Map()
/** Each monitor costs a request or two, and a key has a number of requests a minute. */
const MAX_ASKED = 500
/** Lines below the table. */
const MAX_TROUBLES = 20

async function factsOfAll(io: ProcessIo, client: RemoteClient, items: readonly RemoteRecord[]) {
  if (items.length > MAX_ASKED)
    tell(
      io,
      `The last errors and messages of the first ${MAX_ASKED} monitors are shown. Name the others, or choose them ` +
        'by --status or --label.\n',
    )
  const asked = items.slice(0, MAX_ASKED)
  return new Map(await someAtOnce(asked, async (found) => [found, await factsOf(client, found)] as const))
}

/** Says below the table why checks failed, and which messages did not arrive. */
function printTroubles(io: ProcessIo, facts: ReadonlyMap<RemoteRecord, MonitorFacts>): void {
  const troubles = [...facts].flatMap(([{ record }, { error, messages }]) => {
    const count = record.consecutive_failures
    const failed = `${record.name} has failed ${count === 1 ? 'once' : `${count} times in a row`}: ${error}`
    return [...(error === null ? [] : [failed]), ...lostMessages(messages).map((words) => `${record.name}: ${words}`)]
  })
  const left = troubles.length - MAX_TROUBLES
  const shown = troubles.slice(0, MAX_TROUBLES).map((words) => inLines(printable(words), terminalWidth(io) - 2))
  const more = left > 0 ? `… and ${left} more\n` : ''
  if (troubles.length > 0) print(io, `\n${shown.map((lines) => `${lines.join('\n  ')}\n`).join('')}${more}`)
}
