import { printable } from '../../../core/printable.ts'
import { print } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import { maskedDelivery, maskedHeaders } from '../../../schema/monitor/mask.ts'
import type { Mute } from '../../../schema/monitor/mute.ts'
import { resourceKindOf } from '../../../schema/resource-kind.ts'
import {
  coloured,
  columnsOf,
  dataText,
  formOf,
  isForPrograms,
  interval,
  printData,
  table,
  terminalWidth,
  when,
} from '../../output.ts'
import { connect } from '../connect.ts'
import { arrivedWords, NO_DESTINATION } from '../delivery-words.ts'
import { factsOf, type MonitorFacts } from '../monitor-facts.ts'
import { forEachRecord, nameOf, neededReferences, pathOf, watchedBy } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import type { RemoteRecord } from '../remote-kinds.ts'
import { statusOf } from './get.ts'
import { columnsOfRuns, newestRuns, wholeRuns } from './runs.ts'

const RUNS = 5
/** What the lines above the configuration say already. */
const STATE = new Set([
  'id',
  'user_id',
  'name',
  'status',
  'consecutive_failures',
  'last_run_at',
  'next_run_at',
  'created_at',
  'schedule_interval_seconds',
  'warnings',
  'mute',
])

/** Prints all that is known of monitors. */
export const describe: Handler<object> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const described: object[] = []
  const references = neededReferences(words)
  const ending = await forEachRecord(io, { client, references }, async (found) => {
    const last = await newestRuns(client, pathOf(found), RUNS)
    if (isForPrograms(form)) described.push({ ...masked(found), runs: await wholeRuns(client, last) })
    else if (form === 'name') print(io, `${nameOf(found)}\n`)
    else {
      const columns = columnsOf(form, await columnsOfRuns(client, found, last))
      const runs = table(io, columns, last, terminalWidth(io) - INDENT.length)
      const shown = last.length === 0 ? `${INDENT}none\n` : indented(runs)
      const state = head(io, found, await factsOf(client, found))
      print(io, `${state}Configuration:\n${indented(await configuration(found))}Last runs:\n${shown}\n`)
    }
  })
  const isOne = references.length === 1
  if (isForPrograms(form) && !(isOne && described.length === 0))
    await printData(io, form, isOne ? described[0] : described)
  return ending
}

function head(io: ProcessIo, found: RemoteRecord, { error, messages }: MonitorFacts): string {
  const { record } = found
  const lines: readonly (readonly [string, string])[] = [
    ['Name', printable(record.name)],
    ['Kind', resourceKindOf(found.kind).kind],
    ['Id', record.id],
    ['Status', coloured(io, statusOf(found))],
    ...(record.mute ? [['Muted', printable(muteWords(record.mute))] as const] : []),
    ['Watches', printable(watchedBy(found))],
    ['Interval', interval(record.schedule_interval_seconds)],
    ['Last run', when(record.last_run_at)],
    ['Next run', when(record.next_run_at)],
    ['Failures', String(record.consecutive_failures)],
    ...(error === null ? [] : [['Last error', printable(error)] as const]),
    ['Last message', record.deliveries.length === 0 ? NO_DESTINATION.text : arrivedWords(messages)],
    ['Created', when(record.created_at)],
  ]
  return lines.map(([name, value]) => `${`${name}:`.padEnd(15)}${value}\n`).join('')
}

function muteWords({ until, reason, drop }: Mute): string {
  const end = until === null ? 'until somebody unmutes it' : `until ${when(until)}`
  return [end, ...(drop ? ['nothing is sent'] : []), ...(reason === null ? [] : [reason])].join('; ')
}

function masked({ record }: RemoteRecord): object {
  const headers = 'request_headers' in record ? record.request_headers : null
  return {
    ...record,
    ...(headers && { request_headers: maskedHeaders(headers) }),
    deliveries: record.deliveries.map(maskedDelivery),
  }
}

function configuration(found: RemoteRecord): Promise<string> {
  const shown = Object.entries(masked(found)).filter(([key, value]) => !STATE.has(key) && value !== null)
  return dataText('yaml', Object.fromEntries(shown))
}

const INDENT = '  '
const indented = (text: string) => text.replaceAll(/^(?=.)/gm, INDENT)
