import { readFile } from 'node:fs/promises'
import { printable } from '../../../core/printable.ts'
import { print, tell } from '../../../platform/print.ts'
import { pathIn, type ProcessIo } from '../../../platform/process-io.ts'
import type { Backtest, BacktestRun } from '../../../schema/monitor/backtest.ts'
import { resourceKindOf } from '../../../schema/resource-kind.ts'
import type { SerpBacktest, SerpBacktestRun } from '../../../schema/serp/serp-backtest.ts'
import { type Column, formOf, isForPrograms, printData, printItems } from '../../output.ts'
import { connect } from '../connect.ts'
import { yesOrNo } from '../delivery-words.ts'
import { findRecord, neededReferences, pathOf } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import { remoteKindOf } from '../remote-kinds.ts'

interface BacktestOptions {
  /** JSON, or the name of a file with JSON after an `@`. */
  readonly predicate?: string
  readonly days?: number
}

type Tried = BacktestRun | SerpBacktestRun

const COLUMNS: readonly Column<Tried>[] = [
  { head: 'STARTED', cell: ({ started_at: at }) => at },
  { head: 'FIRES', cell: ({ fires }) => (fires ? { text: 'yes', colour: 'good' } : 'no') },
  { head: 'FIRED', cell: ({ fired }) => yesOrNo(fired) },
  { head: 'RUN', cell: ({ run_id: id }) => id, isWide: true },
  { head: 'CHANGED', cell: (run) => changedIn(run).join(', ') },
  { head: 'WHY', cell: whyOf },
]

const changedIn = (run: Tried): readonly string[] =>
  'fields_changed' in run ? run.fields_changed : run.values.map(({ field }) => field)

function whyOf(run: Tried): string {
  if ('why' in run) return run.why
  const holding = run.conditions.filter(({ holds }) => holds === run.fires)
  return (holding.length > 0 ? holding : run.conditions).map(({ why }) => why).join('; ')
}

/** Prints which of the stored runs of a monitor would have fired, with a predicate or as the search is set, and why. */
export const backtest: Handler<BacktestOptions> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const [reference] = neededReferences(words)
  if (!reference) return
  const found = await findRecord(client, reference)
  const own = remoteKindOf(found).predicate(found.record)
  if (!own && options.predicate !== undefined) {
    const { singular } = resourceKindOf(found.kind)
    throw new RemoteError(`a ${singular} has no predicate: leave --predicate out`, 'usage')
  }
  const predicate = options.predicate === undefined ? own : await predicateOf(io, options.predicate)
  const { days } = options
  const result = await client.json<Backtest | SerpBacktest>({
    method: 'POST',
    path: `${pathOf(found)}/backtest`,
    body: { ...(predicate !== null && { diff_predicate: predicate }), ...(days !== undefined && { days }) },
  })
  if (isForPrograms(form)) return printData(io, form, result)
  await printItems<Tried>(io, form, {
    items: result.runs,
    columns: COLUMNS,
    name: ({ run_id: id }) => `run/${id}`,
    data: (run) => run,
    none: 'No stored run has found a difference.',
  })
  if (form === 'name') return
  for (const warning of result.warnings) tell(io, `${printable(warning)}\n`)
  if (result.runs.length > 0) print(io, `${result.would_fire} of ${result.changes} changes fire\n`)
  if (result.truncated) tell(io, 'Older changes were left out.\n')
}

async function predicateOf(io: ProcessIo, given: string): Promise<unknown> {
  const isFile = given.startsWith('@')
  try {
    return JSON.parse(isFile ? await readFile(pathIn(io, given.slice(1)), 'utf8') : given) as unknown
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new RemoteError(`--predicate must be JSON, or @ and the name of a file with JSON: ${reason}`, 'usage')
  }
}
