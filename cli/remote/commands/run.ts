import { sleep } from '../../../concurrency/loops/sleep.ts'
import { progress } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import type { Run, RunQueued } from '../../../schema/run/run.ts'
import { exitCode } from '../../exit-codes.ts'
import { type Column, formOf, printItems } from '../../output.ts'
import { connect } from '../connect.ts'
import { forEachRecord, neededReferences, pathOf } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import type { RemoteRecord } from '../remote-kinds.ts'
import { whenItAnswers } from '../when-it-answers.ts'
import { columnsOfRuns, RUN_COLUMNS } from './runs.ts'

interface RunOptions {
  readonly wait?: boolean
  readonly timeout: number
}

const POLL_MS = 500

/** A run that was waited for. */
interface Ended {
  readonly found: RemoteRecord
  readonly run: Run
}

/** Runs monitors now, and waits for the runs where that is asked for. */
export const run: Handler<RunOptions> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const begun: { readonly found: RemoteRecord; readonly id: string }[] = []
  const ending = await forEachRecord(io, { client, references: neededReferences(words) }, async (found) => {
    const { run_id: id } = await client.json<RunQueued>({ method: 'POST', path: `${pathOf(found)}/run`, isOnce: true })
    begun.push({ found, id })
  })
  if (options.wait !== true) {
    await printItems(
      io,
      formOf(options),
      {
        items: begun,
        columns: [
          { head: 'NAME', cell: ({ found }) => found.record.name },
          { head: 'RUN', cell: ({ id }) => id },
        ],
        name: ({ id }) => `run/${id}`,
        data: ({ id }) => ({ run_id: id, queued: true }),
        none: 'No run began.',
      },
      begun.length === 1,
    )
    return ending
  }
  progress(io, `Waiting for ${begun.length === 1 ? 'the run' : `${begun.length} runs`} to end.`)
  const until = performance.now() + options.timeout * 1_000
  const ended: Ended[] = []
  const late: string[] = []
  for (const { found, id } of begun) {
    const run = await endOf(io, client, id, until)
    if (run === null) late.push(id)
    else ended.push({ found, run })
  }
  const form = formOf(options)
  const columns =
    form === 'table' || form === 'wide' ? await whenItAnswers(io, () => columnsOf(client, ended), until) : []
  if (ended.length > 0 || late.length === 0)
    await printItems(
      io,
      form,
      {
        items: ended,
        columns,
        name: ({ run: { id } }) => `run/${id}`,
        data: ({ run: one }) => one,
        none: 'No run began.',
      },
      begun.length === 1 && ended.length === 1,
    )
  if (late.length > 0) throw notEnded(late)
  return ending || exitCode(ended.every(({ run: { status } }) => status === 'success') ? 'ok' : 'failed')
}

/** Returns the columns of runs of several monitors, with whether their messages have arrived by now. */
async function columnsOf(client: RemoteClient, ended: readonly Ended[]): Promise<readonly Column<Ended>[]> {
  const byRun = new Map<string, readonly Column<Run>[]>()
  for (const { found, run: one } of ended) byRun.set(one.id, await columnsOfRuns(client, found, [one]))
  const [heads = RUN_COLUMNS] = byRun.values()
  return [
    { head: 'NAME', cell: ({ found }) => found.record.name },
    ...heads.map((column, at) => ({
      ...column,
      cell: ({ run: one }: Ended) => (byRun.get(one.id)?.[at] ?? column).cell(one),
    })),
  ]
}

/** Returns a run that has ended; null where that takes longer. */
async function endOf(io: ProcessIo, client: RemoteClient, id: string, until: number): Promise<Run | null> {
  for (;;) {
    const found = await whenItAnswers(io, () => client.json<Run>({ method: 'GET', path: `/v1/runs/${id}` }), until)
    if (found.status !== 'running') return found
    if (performance.now() > until) return null
    await sleep(POLL_MS)
  }
}

function notEnded(ids: readonly string[]): RemoteError {
  const what =
    ids.length === 1
      ? `the run ${ids[0]} has not ended within --timeout; it goes on`
      : 'some runs have not ended within --timeout; they go on'
  const list = ids.length === 1 ? '' : ids.map((id) => `\n  run/${id}`).join('')
  return new RemoteError(`${what}: does a worker run, and is it in time (GET /readyz)?${list}`, 'unavailable')
}
