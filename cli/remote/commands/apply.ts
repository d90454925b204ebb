import { randomUUID } from 'node:crypto'
import { inCamelCase } from '../../../core/custom-resource/property-words.ts'
import { faultsOf } from '../../../manifests/resolve-manifest.ts'
import { exitCode } from '../../exit-codes.ts'
import { clipped, coloured, formOf, isForPrograms, type OutputOptions, printData } from '../../output.ts'
import { print, progress, tell } from '../../print.ts'
import { printable } from '../../printable.ts'
import { inLines, readInput } from '../apply/read-input.ts'
import { planOf, type Step } from '../apply/steps.ts'
import { confirmDeletions } from '../confirm-deletions.ts'
import { connect } from '../connect.ts'
import { REMOTE_KINDS, SET_LABEL } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

interface ApplyOptions {
  readonly filename?: readonly string[]
  readonly secrets?: string
  readonly set: string
  readonly prune?: boolean
  readonly yes?: boolean
}

async function planned(client: RemoteClient, { filename = [], secrets, set, prune = false }: ApplyOptions) {
  if (!/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(set))
    throw new RemoteError('--set is the value of a label: letters, digits, dots and dashes, at most 63', 'usage')
  const label = { [SET_LABEL]: set }
  const wanted = await readInput({ files: filename, secrets, set: label, prunes: prune })
  // An empty folder is more often a mistake than a wish to delete everything.
  if (wanted.length === 0)
    throw new RemoteError(
      `there is no Monitor and no SerpMonitor in ${filename.join(', ')}: nothing was changed`,
      'usage',
    )
  return planOf(client, wanted, prune ? label : null)
}

/** Shows what `apply` would do. Exits with 1 where that is anything, and with 2 on every error. */
export const diff: Handler<ApplyOptions> = async ({ options }) => {
  try {
    const steps = await planned(connect(options), options)
    await printPlan(steps, options)
    return exitCode(steps.every(({ action }) => action === 'keep') ? 'ok' : 'failed')
  } catch (error) {
    if (error instanceof RemoteError) throw new RemoteError(error.message, 'usage', error.status)
    throw new RemoteError(error instanceof Error ? (error.stack ?? error.message) : String(error), 'usage')
  }
}

/** Makes the records of the server what the manifests declare. */
export const apply: Handler<ApplyOptions> = async ({ options }) => {
  const client = connect(options)
  const steps = await planned(client, options)
  const form = formOf(options)
  const todo = steps.filter(({ action }) => action !== 'keep')
  if (form === 'table' || form === 'wide') await printPlan(steps, options)
  // A program gets every record that the input declares: the second apply names the same ones as the first.
  const kept = steps.filter(({ action }) => action === 'keep')
  const deleted = todo.filter(({ action }) => action === 'delete')
  await confirmDeletions(deleted.map(wordsOf), options.yes === true)
  if (form === 'name') print(kept.map(referenceOf).join(''))
  const { done, notDeleted, ending, cut } = await carryOutAll(client, todo, form)
  if (isForPrograms(form)) await printData(form, [...kept.map(shown), ...done.values()])
  if (cut) throw cutShort(cut, todo, done)
  if (notDeleted.length > 0)
    tell(`tidemark: nothing was deleted, because something failed before:${inList(notDeleted)}\n`)
  if (ending !== 0) tell(`tidemark: ${done.size} of ${todo.length} were applied; apply again for the rest\n`)
  return ending
}

/** The results of the steps. */
interface CarriedOut {
  readonly done: ReadonlyMap<Step, object>
  /** Deletions that were left out. */
  readonly notDeleted: readonly Step[]
  readonly ending: number
  /** What ended it before the last step. */
  readonly cut: Error | null
}

async function carryOutAll(
  client: RemoteClient,
  todo: readonly Step[],
  form: ReturnType<typeof formOf>,
): Promise<CarriedOut> {
  const done = new Map<Step, object>()
  // Deletions are the last steps. Where a record of another name was not made, the old one must not go.
  const failed = new Set<Step['action']>()
  const isKept = ({ action }: Step) => action === 'delete' && [...failed].some((other) => other !== 'delete')
  const ended = (cut: Error | null): CarriedOut => {
    const ending = exitCode(failed.size > 0 ? 'failed' : 'ok')
    return { done, notDeleted: todo.filter(isKept), ending, cut }
  }
  using interruption = onInterruption()
  for (const [index, step] of todo.entries()) {
    if (interruption.isAsked) return ended(new RemoteError('it was interrupted', 'interrupted'))
    if (isKept(step)) continue
    progress(`${index + 1} of ${todo.length}: ${wordsOf(step)}`)
    try {
      const { id, warnings = [] } = await carryOut(client, step)
      done.set(step, { ...shown(step), id })
      for (const warning of warnings) tell(`warning: ${wordsOf(step)}: ${printable(inCamelCase(warning))}\n`)
      if (form === 'name') print(referenceOf({ ...step, id }))
      else if (form === 'table' || form === 'wide') print(`${DONE[step.action]} ${wordsOf(step)}\n`)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (!(error instanceof RemoteError) || error.exitCode !== exitCode('failed')) return ended(error)
      tell(`tidemark: ${wordsOf(step)} was not applied: ${error.message}\n`)
      failed.add(step.action)
    }
  }
  return ended(null)
}

/**
 * Ctrl-C ends an apply between two changes, so that it can say what was done. A second one ends the process at once.
 */
function onInterruption(): Disposable & { readonly isAsked: boolean } {
  let isAsked = false
  const note = () => {
    isAsked = true
    tell('\ntidemark: ending after the change that is under way; Ctrl-C again ends at once\n')
    stop()
  }
  const stop = () => {
    for (const name of SIGNALS) process.off(name, note)
  }
  for (const name of SIGNALS) process.on(name, note)
  return {
    get isAsked() {
      return isAsked
    },
    [Symbol.dispose]: stop,
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

const inList = (steps: readonly Step[]) => steps.map((step) => `\n  ${wordsOf(step)}`).join('')

const ENDINGS = ['refused', 'interrupted'] as const

/** An error that holds for all that is left: says what was done and what was not. */
function cutShort(error: Error, todo: readonly Step[], done: ReadonlyMap<Step, object>): Error {
  if (!(error instanceof RemoteError)) return error
  const left = todo.filter((step) => !done.has(step))
  const ending = ENDINGS.find((name) => exitCode(name) === error.exitCode) ?? 'unavailable'
  const message =
    `${error.message}\n${done.size} of ${todo.length} were applied before. Not applied, or not known to be:` +
    `${inList(left)}\n` +
    'Apply again when the cause is gone: it does only what is left.'
  return new RemoteError(message, ending, error.status)
}

/** What of a record is asked for after a step. */
interface Carried {
  readonly id: string
  readonly warnings?: readonly string[]
}

/** Returns the record with what the server warns of. */
async function carryOut(client: RemoteClient, step: Step): Promise<Carried> {
  const { path } = REMOTE_KINDS[step.kind]
  if (step.action === 'delete') {
    await client.text({ method: 'DELETE', path: `${path}/${step.id}` })
    return { id: step.id }
  }
  if (step.action === 'keep') return { id: step.id }
  const { manifest, spec } = step.wanted
  try {
    if (step.action === 'create') {
      const headers = { 'idempotency-key': randomUUID() }
      const query = manifest.suspend ? { paused: 'true' } : {}
      return await client.json<Carried>({ method: 'POST', path, query, body: spec, headers })
    }
    // It is resumed first: the label that says so must not be gone while the monitor is still paused.
    const at = `${path}/${step.id}`
    if (step.pausing === 'resume') await client.text({ method: 'POST', path: `${at}/resume` })
    const changed =
      step.differences.length > 0 ? await client.json<Carried>({ method: 'PATCH', path: at, body: step.patch }) : null
    if (step.pausing === 'pause') await client.text({ method: 'POST', path: `${at}/pause` })
    return changed ?? { id: step.id }
  } catch (error) {
    if (!(error instanceof RemoteError) || error.issues.length === 0) throw error
    const faults = inLines('the server refuses it:', faultsOf(manifest, error.issues))
    throw new RemoteError(faults, 'failed', error.status, { advice: error.advice })
  }
}

const SIGNS = { create: '+', change: '~', adopt: '~', delete: '-', keep: ' ' } as const
const COLOURS = { create: 'good', change: 'waiting', adopt: 'waiting', delete: 'bad', keep: 'aside' } as const
const WORDS = { create: 'create', change: 'change', adopt: 'take over', delete: 'delete', keep: 'keep' } as const
const DONE = { create: 'created', change: 'changed', adopt: 'took over', delete: 'deleted', keep: 'kept' } as const

const wordsOf = ({ kind, key }: Step) => `${REMOTE_KINDS[kind].resource.singular} ${printable(key)}`

const referenceOf = (step: Pick<Step, 'kind'> & { readonly id?: string }) =>
  `${REMOTE_KINDS[step.kind].resource.singular}/${step.id}\n`

const shown = (step: Step) => ({
  action: step.action,
  kind: REMOTE_KINDS[step.kind].resource.kind,
  external_key: step.key,
  ...('id' in step && { id: step.id }),
  ...('differences' in step && { differences: step.differences, pausing: step.pausing }),
})

async function printPlan(steps: readonly Step[], options: OutputOptions): Promise<void> {
  const form = formOf(options)
  const todo = steps.filter(({ action }) => action !== 'keep')
  if (isForPrograms(form)) return printData(form, todo.map(shown))
  if (form === 'name') return print(todo.map((step) => `${wordsOf(step).replace(' ', '/')}\n`).join(''))
  for (const step of todo) {
    const text = `${SIGNS[step.action]} ${WORDS[step.action]} ${wordsOf(step)}`
    print(`${coloured({ text, colour: COLOURS[step.action] })}\n${detailsOf(step)}`)
  }
  const kept = steps.length - todo.length
  if (kept > 0) print(todo.length === 0 ? `Nothing differs: ${kept} unchanged.\n` : `  ${kept} unchanged\n`)
}

const MOST_VALUE = 80

function detailsOf(step: Step): string {
  if (!('differences' in step)) return ''
  const lines = step.differences.map(({ path, before, after }) => {
    const [from, to] = [inShort(before), inShort(after)]
    const change = from === to ? `${from}, with another value behind the mask` : `${from} → ${to}`
    return `    ${printable(path)}: ${change}\n`
  })
  return lines.join('') + (step.pausing === null ? '' : `    suspend: ${step.pausing}\n`)
}

const inShort = (value: unknown) =>
  printable(clipped(value === undefined || value === null ? 'none' : JSON.stringify(value), MOST_VALUE))
