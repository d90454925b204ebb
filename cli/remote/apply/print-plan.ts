import { printable } from '../../../core/printable.ts'
import { print } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import { resourceKindOf } from '../../../schema/resource-kind.ts'
import { clipped, coloured, formOf, isForPrograms, type OutputOptions, printData } from '../../output.ts'
import type { Step } from './steps.ts'

const SIGNS = { create: '+', change: '~', adopt: '~', delete: '-', keep: ' ' } as const
const COLOURS = { create: 'good', change: 'waiting', adopt: 'waiting', delete: 'bad', keep: 'aside' } as const
const WORDS = { create: 'create', change: 'change', adopt: 'take over', delete: 'delete', keep: 'keep' } as const

/** Returns what a program reads of a step. */
export const shownStep = (step: Step) => ({
  action: step.action,
  kind: resourceKindOf(step.kind).kind,
  external_key: step.key,
  ...('id' in step && { id: step.id }),
  ...('differences' in step && { differences: step.differences, pausing: step.pausing }),
})

/** Prints what an apply is about to do. `kept`: how many records stay as they are. */
export async function printPlan(
  io: ProcessIo,
  todo: readonly Step[],
  kept: number,
  options: OutputOptions,
): Promise<void> {
  const form = formOf(options)
  if (isForPrograms(form)) return printData(io, form, todo.map(shownStep))
  if (form === 'name') return print(io, todo.map(({ resource }) => `${resource.replace(' ', '/')}\n`).join(''))
  for (const step of todo) {
    const text = `${SIGNS[step.action]} ${WORDS[step.action]} ${step.resource}`
    print(io, `${coloured(io, { text, colour: COLOURS[step.action] })}\n${detailsOf(step)}`)
  }
  if (kept > 0) print(io, todo.length === 0 ? `Nothing differs: ${kept} unchanged.\n` : `  ${kept} unchanged\n`)
}

const MAX_VALUE = 80

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
  printable(clipped(value === undefined || value === null ? 'none' : JSON.stringify(value), MAX_VALUE))
