import { inCamelCase } from '../../../core/custom-resource/property-words.ts'
import { printable } from '../../../core/printable.ts'
import { applyPlan } from '../../../monitors/declared/apply-plan.ts'
import { print, progress, tell } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import { resourceKindOf } from '../../../schema/resource-kind.ts'
import { exitCode } from '../../exit-codes.ts'
import { formOf, isForPrograms, type OutputForm, printData } from '../../output.ts'
import { printPlan, shownStep } from '../apply/print-plan.ts'
import { inLines, readInput } from '../apply/read-input.ts'
import { createRemoteRecords, type StepListener } from '../apply/remote-records.ts'
import type { Step } from '../apply/steps.ts'
import { confirmDeletions } from '../confirm-deletions.ts'
import { type CommonOptions, connect } from '../connect.ts'
import { SET_LABEL } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

interface ApplyOptions {
  readonly filename?: readonly string[]
  readonly secrets?: string
  readonly set: string
  readonly prune?: boolean
  readonly yes?: boolean
}

/** Returns what the input declares, and the label of the records that it may delete. */
async function inputOf(io: ProcessIo, { filename = [], secrets, set, prune = false }: ApplyOptions) {
  if (!/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/.test(set))
    throw new RemoteError('--set is the value of a label: letters, digits, dots and dashes, at most 63', 'usage')
  const label = { [SET_LABEL]: set }
  const manifests = await readInput(io, { files: filename, secrets, set: label, prunes: prune })
  // An empty folder is more often a mistake than a wish to delete everything.
  if (manifests.length === 0)
    throw new RemoteError(
      `there is no Monitor and no SerpMonitor in ${filename.join(', ')}: nothing was changed`,
      'usage',
    )
  return { manifests, prunes: prune ? label : null }
}

/** Returns what would be done. Throws where a record belongs to somebody else: nothing has been changed by then. */
async function planned(io: ProcessIo, options: ApplyOptions & CommonOptions, listener: StepListener = UNHEARD) {
  const client = connect(io, options)
  const { manifests, prunes } = await inputOf(io, options)
  const records = createRemoteRecords(client, { prunes, listener })
  const plan = await records.compare(manifests)
  if (plan.faults.length > 0) throw new RemoteError(inLines('nothing was changed:', plan.faults))
  return { records, plan, todo: [...plan.steps, ...plan.gone] }
}

const UNHEARD: StepListener = { begins() {}, done() {}, refused() {} }

/** Shows what `apply` would do. Exits with 1 where that is anything, and with 2 on every error. */
export const diff: Handler<ApplyOptions> = async ({ io, options }) => {
  try {
    const { plan, todo } = await planned(io, options)
    await printPlan(io, todo, plan.kept.length, options)
    return exitCode(todo.length === 0 ? 'ok' : 'failed')
  } catch (error) {
    if (error instanceof RemoteError) throw new RemoteError(error.message, 'usage', error.status)
    throw new RemoteError(error instanceof Error ? (error.stack ?? error.message) : String(error), 'usage')
  }
}

/** Makes the records of the server what the manifests declare. */
export const apply: Handler<ApplyOptions> = async ({ io, options }) => {
  const form = formOf(options)
  const report = createReport(io, form)
  const { records, plan, todo } = await planned(io, options, report.listener)
  const { kept, gone } = plan
  if (!isForPrograms(form) && form !== 'name') await printPlan(io, todo, kept.length, options)
  await confirmDeletions(
    io,
    gone.map(({ resource }) => resource),
    options.yes === true,
  )
  if (form === 'name') print(io, kept.map(referenceOf).join(''))
  using interruption = onInterruption(io)
  report.begin(todo, interruption)
  let cut: unknown
  const applied = await applyPlan(records, plan, { fateOf: ({ hasFaults }) => (hasFaults ? 'wait' : 'delete') }).catch(
    (error: unknown) => {
      cut = error
      return null
    },
  )
  // A program gets every record that the input declares: the second apply names the same ones as the first.
  if (isForPrograms(form)) await printData(io, form, [...kept.map(shownStep), ...report.shown.values()])
  if (applied === null) throw cutShort(cut, todo, report.shown)
  if (applied.waiting.length > 0)
    tell(io, `tidemark: nothing was deleted, because something failed before:${inList(applied.waiting)}\n`)
  if (!report.hasFailed) return exitCode('ok')
  tell(io, `tidemark: ${report.shown.size} of ${todo.length} were applied; apply again for the rest\n`)
  return exitCode('failed')
}

const DONE = { create: 'created', change: 'changed', adopt: 'took over', delete: 'deleted', keep: 'kept' } as const

const referenceOf = (step: Pick<Step, 'kind'> & { readonly id?: string }) =>
  `${resourceKindOf(step.kind).singular}/${step.id}\n`

/** Says what is done while it is done. */
function createReport(io: ProcessIo, form: OutputForm) {
  const shown = new Map<Step, object>()
  let todo: readonly Step[] = []
  let hasFailed = false
  let at = 0
  let interruption: Interruption | undefined
  const listener: StepListener = {
    begins(step) {
      if (interruption?.isAsked) throw new RemoteError('it was interrupted', 'interrupted')
      at += 1
      progress(io, `${at} of ${todo.length}: ${step.resource}`)
    },
    done(step, { id, warnings = [] }) {
      shown.set(step, { ...shownStep(step), id })
      for (const warning of warnings) tell(io, `warning: ${step.resource}: ${printable(inCamelCase(warning))}\n`)
      if (form === 'name') print(io, referenceOf({ ...step, id }))
      else if (!isForPrograms(form)) print(io, `${DONE[step.action]} ${step.resource}\n`)
    },
    refused(step, { message }) {
      tell(io, `tidemark: ${step.resource} was not applied: ${message}\n`)
      hasFailed = true
    },
  }
  return {
    listener,
    /** What a program reads of the steps that were carried out. */
    shown,
    get hasFailed() {
      return hasFailed
    },
    begin(steps: readonly Step[], asked: Interruption) {
      todo = steps
      interruption = asked
    },
  }
}

/**
 * Ctrl-C ends an apply between two changes, so that it can say what was done. A second one ends the process at once.
 */
function onInterruption(io: ProcessIo): Interruption & Disposable {
  let isAsked = false
  const note = () => {
    isAsked = true
    tell(io, '\ntidemark: ending after the change that is under way; Ctrl-C again ends at once\n')
    stop()
  }
  const stop = () => {
    for (const name of SIGNALS) io.off(name, note)
  }
  for (const name of SIGNALS) io.on(name, note)
  return {
    get isAsked() {
      return isAsked
    },
    [Symbol.dispose]: stop,
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

interface Interruption {
  readonly isAsked: boolean
}

const inList = (resources: readonly string[]) => resources.map((resource) => `\n  ${resource}`).join('')

const ENDINGS = ['refused', 'interrupted'] as const

/** Returns an error that says what was done and what was not, where the cause holds for all that is left. */
function cutShort(error: unknown, todo: readonly Step[], done: ReadonlyMap<Step, object>): unknown {
  if (!(error instanceof RemoteError)) return error
  const left = todo.filter((step) => !done.has(step)).map(({ resource }) => resource)
  const ending = ENDINGS.find((name) => exitCode(name) === error.exitCode) ?? 'unavailable'
  const message =
    `${error.message}\n${done.size} of ${todo.length} were applied before. Not applied, or not known to be:` +
    `${inList(left)}\n` +
    'Apply again when the cause is gone: it does only what is left.'
  return new RemoteError(message, ending, error.status)
}
