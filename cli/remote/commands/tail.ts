import { sleep } from '../../../concurrency/loops/sleep.ts'
import { printable } from '../../../core/printable.ts'
import { print, tell } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import type { Run } from '../../../schema/run/run.ts'
import { exitCode } from '../../exit-codes.ts'
import { coloured, formOf, isForPrograms, partText } from '../../output.ts'
import { resultOf, saysChange } from '../change-words.ts'
import { connect } from '../connect.ts'
import { firedCell } from '../delivery-words.ts'
import { forEachRecord, neededReferences, pathOf } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import type { RemoteRecord } from '../remote-kinds.ts'
import { whenItAnswers } from '../when-it-answers.ts'
import { newestRuns, wholeRuns } from './runs.ts'

interface TailOptions {
  readonly limit: number
  /** The command ends after so many runs. */
  readonly count?: number
}

const POLL_MS = 1_000
/** A monitor runs once a minute at most, so a page holds all that have ended between two looks. */
const NEWEST = 20
/** So many are asked for after a long time without an answer. */
const MOST = 10_000
const COLOURS = { success: 'good', error: 'bad', running: 'waiting', skipped: 'aside' } as const

/** A monitor whose runs are shown, and those of its newest runs that were. */
interface Followed {
  readonly found: RemoteRecord
  shown: ReadonlySet<string> | null
}

/**
 * Prints the last runs of monitors, and then each run when it has ended. The server may be started again in between.
 */
export const tail: Handler<TailOptions> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const followed: Followed[] = []
  const references = neededReferences(words)
  const ending = await forEachRecord(
    io,
    { client, references },
    async (found) => void followed.push({ found, shown: null }),
  )
  let left = options.count ?? Number.POSITIVE_INFINITY
  while (followed.length > 0) {
    for (const one of followed.slice()) {
      const isFirst = one.shown === null
      const ended = await endedSince(io, client, one)
      if (ended === null) {
        tell(io, `tidemark: ${printable(one.found.record.name)} was deleted\n`)
        followed.splice(followed.indexOf(one), 1)
        continue
      }
      const shown = (isFirst ? ended.slice(0, options.limit) : ended).toReversed().slice(0, left)
      const printed = isForPrograms(form) ? await whenItAnswers(io, () => wholeRuns(client, shown)) : shown
      for (const run of printed) print(io, await lineOf(io, run, one.found.record, form))
      left -= shown.length
      if (left <= 0) return ending
    }
    if (followed.length > 0) await sleep(POLL_MS)
  }
  return ending || exitCode('failed')
}

/** Returns the runs that have ended since the last look, newest first; null where the monitor is gone. */
async function endedSince(io: ProcessIo, client: RemoteClient, one: Followed): Promise<readonly Run[] | null> {
  const { shown } = one
  for (let most = NEWEST; ; most = Math.min(MOST, most * 5)) {
    const newest = await whenItAnswers(io, () => newestRuns(client, pathOf(one.found), most)).catch(nullWhereGone)
    if (newest === null) return null
    const ended = new Map(newest.filter(({ status }) => status !== 'running').map((run) => [run.id, run]))
    // After a long time without an answer, there are more of them than one look shows.
    const isAll = shown === null || newest.length < most || newest.some(({ id }) => shown.has(id))
    if (!isAll && most < MOST) continue
    if (!isAll) tell(io, `tidemark: only the last ${MOST} runs are shown\n`)
    one.shown = new Set(ended.keys())
    return [...ended.values()].filter(({ id }) => !shown?.has(id))
  }
}

function nullWhereGone(error: unknown): null {
  if (error instanceof RemoteError && error.status === 404) return null
  throw error
}

async function lineOf(
  io: ProcessIo,
  run: Run,
  record: RemoteRecord['record'],
  form: ReturnType<typeof formOf>,
): Promise<string> {
  // One document for each, so that a program can read it while more follow.
  if (isForPrograms(form)) return partText(form, run)
  if (form === 'name') return `run/${run.id}\n`
  const status = coloured(io, { text: run.status, colour: COLOURS[run.status] })
  const cell = run.fired || saysChange(run) ? firedCell(run, record) : null
  const fired = cell ? ` ${coloured(io, cell)}` : ''
  return `${run.started_at} ${printable(record.name)} ${status}${fired} ${printable(resultOf(run))}\n`
}
