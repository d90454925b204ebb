import { connect } from '../connect.ts'
import { type Column, distance, formOf, interval, isForPrograms, printItems } from '../../output.ts'
import {
  forEachRecord,
  listRecords,
  nameOf,
  referencesOf,
  REMOTE_KINDS,
  type RemoteRecord,
  watchedBy,
} from '../records.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

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
export const statusOf = ({ record: { status } }: RemoteRecord) => ({ text: status, colour: COLOURS[status] })

const COLUMNS: readonly Column<RemoteRecord>[] = [
  { head: 'NAME', cell: ({ record }) => record.name },
  { head: 'KIND', cell: ({ kind }) => REMOTE_KINDS[kind].resource.singular },
  { head: 'STATUS', cell: statusOf },
  { head: 'INTERVAL', cell: ({ record }) => interval(record.schedule_interval_seconds) },
  { head: 'LAST RUN', cell: ({ record }) => distance(record.last_run_at) },
  { head: 'NEXT RUN', cell: ({ record }) => distance(record.next_run_at), isWide: true },
  { head: 'FAILURES', cell: ({ record }) => String(record.consecutive_failures), isWide: true },
  { head: 'KEY', cell: ({ record }) => record.external_key ?? '-', isWide: true },
  { head: 'ID', cell: ({ record }) => record.id, isWide: true },
  { head: 'WATCHES', cell: watchedBy, isCut: true },
]

/** Prints monitors in the form of the options. */
export const get: Handler<GetOptions> = async ({ words, options }) => {
  const { kind, references } = referencesOf(words)
  const { status, label } = options
  if ((status ?? label) !== undefined && references.length > 0)
    throw new RemoteError('--status and --label are for lists: leave the names out', 'usage')
  if (status === 'error' && kind === 'serp')
    throw new RemoteError('a serpmonitor is never in the status error', 'usage')
  const client = connect(options)
  // A search has no status `error`, and its list refuses to be filtered by it.
  const listed = status === 'error' ? 'page' : kind
  const items: RemoteRecord[] = references.length === 0 ? await listRecords(client, listed, { status, label }) : []
  const ending = await forEachRecord(client, references, async (found) => void items.push(found))
  const form = formOf(options)
  // Where none of those that are named is there, that has been said. Programs that named several get an empty list.
  const isNothing = references.length > 0 && items.length === 0
  if (isNothing && (references.length === 1 || !isForPrograms(form))) return ending
  await printItems(
    form,
    {
      items,
      columns: COLUMNS,
      name: nameOf,
      data: ({ record }) => record,
      none: 'There are no monitors.',
    },
    references.length === 1,
  )
  return ending
}
