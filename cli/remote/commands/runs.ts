import type { Run } from '../../../schema/run/run.ts'
import { type Column, distance, formOf, isForPrograms, printItems } from '../../output.ts'
import { resultOf } from '../change-words.ts'
import { connect } from '../connect.ts'
import { arrivedCell, NO_DESTINATION, yesOrNo } from '../delivery-words.ts'
import { deliveriesOf } from '../monitor-facts.ts'
import { findRecord, neededReferences, pathOf } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import type { RemoteRecord } from '../remote-kinds.ts'
import { wholeOf } from '../whole-of.ts'

const COLOURS = { success: 'good', error: 'bad', running: 'waiting', skipped: 'aside' } as const

export const RUN_COLUMNS: readonly Column<Run>[] = [
  { head: 'STARTED', cell: ({ started_at: at }) => distance(at) },
  { head: 'AT', cell: ({ started_at: at }) => at, isWide: true },
  { head: 'STATUS', cell: ({ status }) => ({ text: status, colour: COLOURS[status] }) },
  { head: 'LAYER', cell: ({ fetch_method: layer }) => layer ?? '-', isWide: true },
  { head: 'MS', cell: ({ duration_ms: ms }) => String(ms) },
  { head: 'FIRED', cell: ({ fired }) => (fired ? { text: 'yes', colour: 'good' } : yesOrNo(fired)) },
  { head: 'ID', cell: ({ id }) => id, isWide: true },
  { head: 'RESULT', cell: resultOf },
]

/** Returns the columns of the runs of a monitor, with whether their messages arrived. */
export async function columnsOfRuns(
  client: RemoteClient,
  monitor: RemoteRecord,
  found: readonly Run[],
): Promise<readonly Column<Run>[]> {
  const hasDestination = monitor.record.deliveries.length > 0
  const byRun = await deliveriesOf(client, monitor, found)
  return RUN_COLUMNS.flatMap((column): readonly Column<Run>[] =>
    column.head === 'FIRED'
      ? [
          column,
          {
            head: 'DELIVERED',
            cell: (run) =>
              hasDestination || run.delivery_triggered ? arrivedCell(byRun.get(run.id) ?? []) : NO_DESTINATION,
          },
        ]
      : [column],
  )
}

/** Returns the newest runs of a monitor. */
export const newestRuns = (client: RemoteClient, path: string, most: number): Promise<Run[]> =>
  Array.fromAsync(client.list<Run>(`${path}/runs`, {}, most))

/** Returns the runs with all of their values. */
export const wholeRuns = (client: RemoteClient, found: readonly Run[]): Promise<Run[]> =>
  wholeOf(client, '/v1/runs', found)

export const runs: Handler<{ readonly limit: number }> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const [reference] = neededReferences(words)
  if (!reference) return
  const found = await findRecord(client, reference)
  const form = formOf(options)
  const newest = await newestRuns(client, pathOf(found), options.limit)
  await printItems(io, form, {
    items: isForPrograms(form) ? await wholeRuns(client, newest) : newest,
    columns: form === 'table' || form === 'wide' ? await columnsOfRuns(client, found, newest) : RUN_COLUMNS,
    name: ({ id }) => `run/${id}`,
    data: (run) => run,
    none: `${found.record.name} has not run yet.`,
  })
}
