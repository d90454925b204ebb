import { connect } from '../connect.ts'
import { exitCode } from '../../exit-codes.ts'
import { type CommonOptions, formOf, print, printData } from '../output.ts'
import { printable } from '../../printable.ts'
import { findRecord, nameOf, neededReferences, pathOf, REMOTE_KINDS, type RemoteRecord } from '../records.ts'
import type { RemoteClient, RemoteRequest } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

/** What is done to each monitor. */
interface Action {
  /** As in "paused". */
  readonly done: string
  readonly request: (path: string) => RemoteRequest
}

const PAUSE: Action = { done: 'paused', request: (path) => ({ method: 'POST', path: `${path}/pause` }) }
const RESUME: Action = { done: 'resumed', request: (path) => ({ method: 'POST', path: `${path}/resume` }) }
const DELETE: Action = { done: 'deleted', request: (path) => ({ method: 'DELETE', path }) }

export const pause: Handler<object> = ({ words, options }) => actOnEach(PAUSE, words, options)
export const resume: Handler<object> = ({ words, options }) => actOnEach(RESUME, words, options)
export const remove: Handler<{ readonly ignoreNotFound?: boolean }> = ({ words, options }) =>
  actOnEach(DELETE, words, options, options.ignoreNotFound)

/** Does it to each monitor that is named. One that fails does not keep the others from being done. */
async function actOnEach(
  { done, request }: Action,
  words: readonly string[],
  options: CommonOptions,
  ignoresMissing = false,
): Promise<number> {
  const client = connect(options)
  const form = formOf(options)
  const results: object[] = []
  const ending = await forEachRecord(
    client,
    words,
    async (found) => {
      await client.text(request(pathOf(found)))
      results.push({ id: found.record.id, kind: REMOTE_KINDS[found.kind].resource.kind, name: found.record.name, done })
      if (form === 'name') print(`${nameOf(found)}\n`)
      else if (form === 'table' || form === 'wide')
        print(`${REMOTE_KINDS[found.kind].resource.singular} ${printable(found.record.name)} ${done}\n`)
    },
    ignoresMissing,
  )
  if (form === 'json' || form === 'yaml') await printData(form, results)
  return ending
}

/**
 * Calls `act` with each record that is named. Says on standard error which of them fail, and goes on with the others.
 *
 * @returns the exit code: that of the first failure
 */
export async function forEachRecord(
  client: RemoteClient,
  words: readonly string[],
  act: (found: RemoteRecord) => Promise<void>,
  ignoresMissing = false,
): Promise<number> {
  const references = neededReferences(words)
  let ending = exitCode('ok')
  for (const reference of references) {
    try {
      await act(await findRecord(client, reference))
    } catch (error) {
      // Those of the server hold for the others too, and so does a key that is unknown. One that may not do this to a
      // monitor, such as one that billing has locked, may do it to another.
      const isOfOne = error instanceof RemoteError && (error.exitCode === exitCode('failed') || error.status === 403)
      if (!isOfOne) throw error
      if (ignoresMissing && error.status === 404) continue
      process.stderr.write(`tidemark: ${error.message}\n`)
      ending ||= error.exitCode
    }
  }
  return ending
}
