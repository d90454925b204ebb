import { isUuid } from '../../../core/is-uuid.ts'
import { MAX_ATTEMPTS } from '../../../core/machine/delivery.ts'
import { printable } from '../../../core/printable.ts'
import { print, tell } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import type { DeliveryReleased } from '../../../schema/run/delivery-release.ts'
import type { Delivery, DeliveryStatus } from '../../../schema/run/delivery.ts'
import { type Column, coloured, distance, formOf, isForPrograms, printData, printItems, when } from '../../output.ts'
import { connect } from '../connect.ts'
import {
  answerOf,
  deliveryState,
  deliveryStatus,
  destinationOf,
  messageOf,
  monitorNameOf,
  nextCell,
} from '../delivery-words.ts'
import { findRecord, neededReferences } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import { wholeOf } from '../whole-of.ts'

interface DeliveriesOptions {
  readonly status?: DeliveryStatus
  readonly givenUp?: boolean
  readonly limit: number
}

const PATH = '/v1/deliveries'

const attemptsOf = ({ attempts }: Delivery): string => `${attempts} of ${MAX_ATTEMPTS}`

const COLUMNS: readonly Column<Delivery>[] = [
  { head: 'AGE', cell: ({ created_at: at }) => distance(at) },
  { head: 'AT', cell: ({ created_at: at }) => at, isWide: true },
  { head: 'STATUS', cell: deliveryStatus },
  { head: 'NEXT', cell: nextCell },
  { head: 'ATTEMPTS', cell: attemptsOf, isWide: true },
  { head: 'DESTINATION', cell: destinationOf, isWide: true },
  { head: 'ANSWER', cell: answerOf },
  { head: 'RUN', cell: ({ run_id: id }) => id, isWide: true },
  { head: 'ID', cell: ({ id }) => id },
  { head: 'MONITOR', cell: monitorNameOf, isCut: true },
]

/** Prints the newest deliveries, of one monitor where it is named. */
export const deliveries: Handler<DeliveriesOptions> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const [reference] = words.length === 0 ? [] : neededReferences(words)
  const found = reference && (await findRecord(client, reference))
  const { status, givenUp, limit } = options
  const query = { status, given_up: givenUp ? 'true' : undefined, monitor_id: found?.record.id }
  const newest = await Array.fromAsync(client.list<Delivery>(PATH, query, limit))
  if (found && newest.length === 0 && found.record.deliveries.length === 0)
    tell(io, `${printable(found.record.name)} has no destination, so it sends nothing.\n`)
  else
    return printItems(io, form, {
      items: isForPrograms(form) ? await wholeOf(client, PATH, newest) : newest,
      columns: COLUMNS,
      name: nameOf,
      data: (one) => one,
      none: status === undefined && !givenUp ? 'There are no deliveries.' : 'There are no such deliveries.',
    })
  if (isForPrograms(form)) await printData(io, form, [])
}

/** Prints a delivery with its attempts and the answer. */
export const delivery: Handler<object> = async ({ io, words: [word = ''], options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const id = deliveryId(word)
  const found = await client.find<Delivery>({ method: 'GET', path: `${PATH}/${id}` })
  if (!found) throw noDelivery(id)
  if (isForPrograms(form)) return printData(io, form, found)
  print(io, form === 'name' ? `${nameOf(found)}\n` : described(io, found))
}

const nameOf = ({ id }: Pick<Delivery, 'id'>) => `delivery/${id}`

function described(io: ProcessIo, found: Delivery): string {
  const status = deliveryStatus(found)
  const lines: readonly (readonly [string, string])[] = [
    ['Id', found.id],
    ['Monitor', printable(monitorNameOf(found))],
    ['Run', found.run_id],
    ['Message', printable(messageOf(found))],
    ['Destination', printable(destinationOf(found))],
    ['Status', `${coloured(io, status)}: ${deliveryState(found)}`],
    ['Created', when(found.created_at)],
    ['Attempts', attemptsOf(found)],
    ['Last attempt', when(found.last_attempt_at)],
    ['Next attempt', when(found.next_attempt_at)],
    ['Answer', answerOf(found)],
  ]
  const head = lines.map(([name, value]) => `${`${name}:`.padEnd(15)}${value}\n`).join('')
  const body = (found.response_body ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')
  return head + body.map((line) => `  ${printable(line)}\n`).join('')
}

/** Sends deliveries again. One that is refused does not keep the others from it. */
export const replay: Handler<object> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const ids = words.map(deliveryId)
  const results: object[] = []
  let ending: number | undefined
  for (const id of ids) {
    try {
      await sendAgain(client, id)
    } catch (error) {
      if (!(error instanceof RemoteError) || !OF_ONE.has(error.status ?? 0)) throw error
      tell(io, `tidemark: ${error.message}\n`)
      ending ??= error.exitCode
      continue
    }
    results.push({ id, queued: true })
    if (form === 'name') print(io, `${nameOf({ id })}\n`)
    else if (!isForPrograms(form)) print(io, `delivery ${id} is sent again\n`)
  }
  if (isForPrograms(form)) await printData(io, form, results)
  return ending
}

/** Ends the wait of deliveries for a later hour: they are sent now, or dropped. */
export const release: Handler<{ readonly drop?: boolean }> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const body = { ids: words.map(deliveryId), action: options.drop ? 'drop' : 'send' }
  const request = { method: 'POST', path: `${PATH}/release`, body, isOnce: true } as const
  const { results, failed } = await client.json<DeliveryReleased>(request)
  for (const { id, ok, error } of results) {
    if (!ok) tell(io, `tidemark: delivery ${id}: ${error?.message ?? 'it was refused'}\n`)
    else if (form === 'name') print(io, `${nameOf({ id })}\n`)
    else if (!isForPrograms(form)) print(io, `delivery ${id} is ${options.drop ? 'dropped' : 'sent now'}\n`)
  }
  if (isForPrograms(form)) await printData(io, form, results)
  return failed > 0 ? 1 : undefined
}

/** Refusals that concern one delivery: it does not exist, or it cannot be sent again. */
const OF_ONE: ReadonlySet<number> = new Set([404, 409])

async function sendAgain(client: RemoteClient, id: string): Promise<void> {
  try {
    await client.text({ method: 'POST', path: `${PATH}/${id}/replay`, isOnce: true })
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    if (error.status === 404) throw noDelivery(id)
    if (error.status === 409) throw new RemoteError(`delivery ${id}: ${error.message}`, 'failed', 409)
    throw error
  }
}

/** Returns the id in an argument: an id, or what the form name prints. */
function deliveryId(word: string): string {
  const id = word.replace(/^deliver(?:y|ies)\//, '')
  if (isUuid(id)) return id
  throw new RemoteError(`"${word}" is not the id of a delivery; "./tidemark deliveries" shows the ids`, 'usage')
}

const noDelivery = (id: string) =>
  new RemoteError(`there is no delivery with the id ${id}; "./tidemark deliveries" shows the ids`, 'failed', 404)
