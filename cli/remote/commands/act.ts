import { printable } from '../../../core/printable.ts'
import { print } from '../../../platform/print.ts'
import { resourceKindOf } from '../../../schema/resource-kind.ts'
import { formOf, isForPrograms, printData } from '../../output.ts'
import { confirmDeletions } from '../confirm-deletions.ts'
import { type CommonOptions, connect } from '../connect.ts'
import { forEachRecord, nameOf, neededReferences, pathOf } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import type { RemoteRequest } from '../remote-request.ts'

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
export const remove: Handler<{ readonly ignoreNotFound?: boolean; readonly yes?: boolean }> = async ({
  words,
  options,
}) => {
  await confirmDeletions(
    neededReferences(words).map(({ text }) => text),
    options.yes === true,
  )
  return actOnEach(DELETE, words, options, options.ignoreNotFound)
}

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
    neededReferences(words),
    async (found) => {
      await client.text(request(pathOf(found)))
      results.push({ id: found.record.id, kind: resourceKindOf(found.kind).kind, name: found.record.name, done })
      if (form === 'name') print(`${nameOf(found)}\n`)
      else if (form === 'table' || form === 'wide')
        print(`${resourceKindOf(found.kind).singular} ${printable(found.record.name)} ${done}\n`)
    },
    ignoresMissing,
  )
  if (isForPrograms(form)) await printData(form, results)
  return ending
}
