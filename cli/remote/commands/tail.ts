import { setTimeout as pause } from 'node:timers/promises'
import type { Run } from '../../../schema/run/run.ts'
import { connect } from '../connect.ts'
import { coloured, formOf, print } from '../output.ts'
import { printable, printableDocument } from '../printable.ts'
import { findRecord, neededReferences, pathOf } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import { newestRuns, resultOf } from './runs.ts'

interface TailOptions {
  readonly limit: number
  /** The command ends after so many runs. */
  readonly count?: number
}

const POLL_MS = 1_000
/** A monitor runs once a minute at most, so a page holds all that have ended between two looks. */
const NEWEST = 20
const COLOURS = { success: 'good', error: 'bad', running: 'waiting', skipped: 'aside' } as const

/** Prints the last runs of monitors, and then each run when it has ended. */
export const tail: Handler<TailOptions> = async ({ words, options }) => {
  const client = connect(options)
  const form = formOf(options)
  const followed = []
  for (const reference of neededReferences(words)) followed.push(await findRecord(client, reference))
  const shown = new Set<string>()
  let left = options.count ?? Number.POSITIVE_INFINITY
  for (let isFirst = true; ; isFirst = false) {
    for (const found of followed) {
      const newest = await newestRuns(client, pathOf(found), NEWEST)
      const ended = newest.filter(({ id, status }) => status !== 'running' && !shown.has(id))
      for (const { id } of ended) shown.add(id)
      const told = (isFirst ? ended.slice(0, options.limit) : ended).toReversed().slice(0, left)
      print(told.map((run) => lineOf(run, found.record.name, form)).join(''))
      left -= told.length
      if (left <= 0) return
    }
    await pause(POLL_MS)
  }
}

function lineOf(run: Run, name: string, form: ReturnType<typeof formOf>): string {
  // One document a line, so that a program can read it while more follow.
  if (form === 'json' || form === 'yaml') return `${printableDocument(JSON.stringify(run))}\n`
  if (form === 'name') return `run/${run.id}\n`
  const status = coloured({ text: run.status, colour: COLOURS[run.status] })
  const fired = run.delivery_triggered ? ' fired' : ''
  return `${run.started_at} ${printable(name)} ${status}${fired} ${printable(resultOf(run))}\n`
}
