import { printable } from '../../../core/printable.ts'
import { print, tell } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import { resourceKindOf } from '../../../schema/resource-kind.ts'
import { formOf, isForPrograms, printData } from '../../output.ts'
import { confirmDeletions } from '../confirm-deletions.ts'
import { type CommonOptions, connect } from '../connect.ts'
import { forEachRecord, listedKinds, listRecords, nameOf, neededReferences, pathOf, referencesOf } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import type { RemoteRequest } from '../remote-request.ts'

/** What is done to each monitor. */
export interface Action {
  /** As in "paused". */
  readonly done: string
  /** The same for people. Default: as above. */
  readonly words?: string
  readonly request: (path: string) => RemoteRequest
  /** A monitor that does not exist is not a failure. */
  readonly ignoresMissing?: boolean
}

const PAUSE: Action = { done: 'paused', request: (path) => ({ method: 'POST', path: `${path}/pause` }) }
const RESUME: Action = { done: 'resumed', request: (path) => ({ method: 'POST', path: `${path}/resume` }) }
const DELETE: Action = { done: 'deleted', request: (path) => ({ method: 'DELETE', path }) }

export const pause: Handler<object> = ({ io, words, options }) => actOnEach(io, PAUSE, words, options)
export const resume: Handler<object> = ({ io, words, options }) => actOnEach(io, RESUME, words, options)
export const remove: Handler<{ readonly ignoreNotFound?: boolean; readonly yes?: boolean }> = async ({
  io,
  words,
  options,
}) => {
  await confirmDeletions(
    io,
    neededReferences(words).map(({ text }) => text),
    options.yes === true,
  )
  return actOnEach(io, { ...DELETE, ignoresMissing: options.ignoreNotFound === true }, words, options)
}

/** What chooses monitors in place of their names: those that match now. */
export interface Chosen {
  readonly label?: string
  readonly status?: string
}

/** Does it to each monitor that is named or chosen. One that fails does not keep the others from being done. */
export async function actOnEach(
  io: ProcessIo,
  { done, words: said = done, request, ignoresMissing = false }: Action,
  words: readonly string[],
  options: CommonOptions & Chosen,
): Promise<number> {
  const client = connect(io, options)
  const form = formOf(options)
  const results: object[] = []
  const references = await wantedRecords(io, client, words, options)
  const ending = await forEachRecord(io, { client, references, ignoresMissing }, async (found) => {
    await client.text(request(pathOf(found)))
    results.push({ id: found.record.id, kind: resourceKindOf(found.kind).kind, name: found.record.name, done })
    if (form === 'name') print(io, `${nameOf(found)}\n`)
    else if (form === 'table' || form === 'wide')
      print(io, `${resourceKindOf(found.kind).singular} ${printable(found.record.name)} ${said}\n`)
  })
  if (isForPrograms(form)) await printData(io, form, results)
  return ending
}

async function wantedRecords(io: ProcessIo, client: RemoteClient, words: readonly string[], { label, status }: Chosen) {
  if ((label ?? status) === undefined) return neededReferences(words)
  const { kind, references } = referencesOf(words)
  if (references.length > 0)
    throw new RemoteError('--label and --status choose the monitors: leave the names out', 'usage')
  const found = await listRecords(client, listedKinds(kind, status), { status, label })
  if (found.length === 0) tell(io, 'No monitor matches.\n')
  return found
}
