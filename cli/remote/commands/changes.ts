import { printable } from '../../../core/printable.ts'
import { print } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import type { RunDiff } from '../../../schema/run/run-diff.ts'
import type { RunImages } from '../../../schema/run/run-images.ts'
import type { Run } from '../../../schema/run/run.ts'
import {
  coloured,
  distance,
  formOf,
  inLines,
  isForPrograms,
  printData,
  printItems,
  terminalWidth,
} from '../../output.ts'
import { changeLines, type ChangeLine, hasTexts, type Known } from '../change-words.ts'
import { connect } from '../connect.ts'
import { firedCell } from '../delivery-words.ts'
import { findRecord, listRecords, neededReferences, pathOf } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import { type RemoteRecord, remoteKindOf } from '../remote-kinds.ts'
import { someAtOnce } from '../some-at-once.ts'
import { wholeOf } from '../whole-of.ts'

interface ChangesOptions {
  readonly limit: number
}

/** A run that found a difference. */
interface Found {
  readonly monitor: RemoteRecord
  readonly run: Run
  /** Of a search: the run with the results before. */
  readonly before: Run | null
}

/** Prints what changed, newest first. */
export const changes: Handler<ChangesOptions> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const [reference] = words.length === 0 ? [] : neededReferences(words)
  const monitors = reference ? [await findRecord(client, reference)] : await listRecords(client, null)
  const newest = await newestChanges(client, monitors, options.limit)
  if (form !== 'name' && !isForPrograms(form) && newest.length > 0) {
    // Printed one by one: each may need the texts and the pictures of its run.
    for (const [at, found] of newest.entries())
      print(io, `${at > 0 ? '\n' : ''}${await shown(io, client, found, form)}`)
    return
  }
  const runs = newest.map(({ run }) => run)
  if (isForPrograms(form)) return printData(io, form, await wholeOf(client, '/v1/runs', runs))
  const [only] = reference ? monitors : []
  await printItems(io, form, {
    items: runs,
    columns: [],
    name: ({ id }) => `run/${id}`,
    data: (run) => run,
    none: only ? `${printable(only.record.name)} has not changed yet.` : 'Nothing has changed yet.',
  })
}

/** Returns the newest changes of monitors. */
async function newestChanges(client: RemoteClient, monitors: readonly RemoteRecord[], most: number): Promise<Found[]> {
  const found = await someAtOnce(monitors, (monitor) => changesOf(client, monitor, most))
  return found
    .flat()
    .toSorted((a, b) => Date.parse(b.run.started_at) - Date.parse(a.run.started_at))
    .slice(0, most)
}

async function changesOf(client: RemoteClient, monitor: RemoteRecord, most: number): Promise<Found[]> {
  const path = `${pathOf(monitor)}/runs`
  const { startsWithDifference } = remoteKindOf(monitor)
  const wanted = startsWithDifference ? most + 1 : most
  const runs = await Array.fromAsync(client.list<Run>(path, { changed: 'true' }, wanted))
  if (!startsWithDifference) return runs.map((run) => ({ monitor, run, before: null }))
  return runs.slice(0, -1).map((run, at) => ({ monitor, run, before: runs[at + 1] ?? null }))
}

async function shown(io: ProcessIo, client: RemoteClient, found: Found, form: string): Promise<string> {
  const { monitor, before } = found
  const [run = found.run] = await wholeOf(client, '/v1/runs', [found.run])
  const known: Known = {
    texts: hasTexts(run) ? await textsOf(client, run) : null,
    images: run.visual_change_pct ? await imagesOf(client, run) : null,
    search: before && remoteKindOf(monitor).shownWith(monitor.record, before),
  }
  const when = `${run.started_at} (${distance(run.started_at)} ago)`
  const cell = firedCell(run, monitor.record)
  const fired = cell ? ` ${coloured(io, cell)}` : ''
  const id = form === 'wide' ? ` run/${run.id}` : ''
  const head = `${printable(monitor.record.name)}  ${when}${fired}${id}\n`
  return (
    head +
    changeLines(run, known)
      .map((line) => terminalLine(io, line))
      .join('')
  )
}

const COLOURS = { added: 'good', removed: 'bad' } as const

/** Returns a line with its depth, broken where the terminal ends. A link stays whole. */
function terminalLine(io: ProcessIo, { depth, kind, text }: ChangeLine): string {
  const indent = '  '.repeat(depth + 1)
  const safe = printable(text)
  if (kind === 'link') return `${indent}${safe}\n`
  const colour = kind === 'said' ? undefined : COLOURS[kind]
  const parts = inLines(safe, Math.max(1, terminalWidth(io) - indent.length - 2))
  return parts
    .map((part, at) => `${indent}${at > 0 ? '  ' : ''}${coloured(io, { text: part, ...(colour && { colour }) })}\n`)
    .join('')
}

/** Returns the differences of the texts of a run, or why there are none. */
async function textsOf(client: RemoteClient, { id }: Run): Promise<Known['texts']> {
  try {
    return (await client.json<RunDiff>({ method: 'GET', path: `/v1/runs/${id}/diff` })).fields
  } catch (error) {
    // Texts are not kept as long as runs, and a comparison may take too long. The other changes are still shown.
    if (error instanceof RemoteError && error.status !== null) return error.message
    throw error
  }
}

const imagesOf = (client: RemoteClient, { id }: Run) =>
  client.find<RunImages>({ method: 'GET', path: `/v1/run-images/${id}` })
