import { unwatchFile, watchFile } from 'node:fs'
import { pathIn, type ProcessIo } from '../../platform/process-io.ts'
import { exitCode } from '../exit-codes.ts'
import { isForPrograms } from '../output.ts'
import type { CheckOptions } from './options.ts'
import type { CheckOutput } from './run-check.ts'
import { isWebAddress } from './source.ts'
import { UsageError } from './usage-error.ts'

/** Editors replace files in several ways, which polling sees all. */
const LOOK_MS = 250

/**
 * Checks until Ctrl-C: again whenever one of the files changed, and addresses each `--every` seconds. Only a result
 * that differs from the one before is written. Throws UsageError when the first check cannot begin.
 */
export async function watchChecks(
  targets: readonly string[],
  { monitor, every = 60 }: Pick<CheckOptions, 'monitor' | 'every'>,
  output: CheckOutput,
  once: (output: CheckOutput) => Promise<void>,
): Promise<void> {
  if (targets.includes('-') || monitor === '-')
    throw new UsageError('--watch cannot read standard input again; name a file')
  const { io } = output
  const declared = monitor === undefined ? [] : await (await import('./manifest-monitor.ts')).monitorFiles(io, monitor)
  const files = [...targets.filter((target) => !isWebAddress(target)), ...declared]
  // Without a target, the address is that of the monitor or the template.
  const everyMs = targets.length === 0 || targets.some(isWebAddress) ? every * 1_000 : null
  const shown = new Map<string, string>()
  const changes: CheckOutput = {
    ...output,
    isNews(target, { status, fields, error_code, warnings }) {
      const result = JSON.stringify([status, fields, error_code, warnings])
      if (shown.get(target) === result) return false
      shown.set(target, result)
      if (!isForPrograms(output.form)) output.err(`\n${new Date().toISOString()}\n`)
      return true
    },
  }
  let isFirst = true
  await repeat(io, { files, everyMs }, async () => {
    try {
      await once(changes)
    } catch (error) {
      if (isFirst || !(error instanceof UsageError)) throw error
      output.err(`tidemark check: ${error.message}\n`)
    }
    if (isFirst) output.err(`\nChecked again ${occasions(files, everyMs)}. Ctrl-C ends.\n`)
    isFirst = false
  })
  io.exitCode = exitCode('interrupted')
}

function occasions(files: readonly string[], everyMs: number | null): string {
  const changed = files.length === 0 ? [] : [`when ${files.join(' or ')} changes`]
  return [...changed, ...(everyMs === null ? [] : [`every ${everyMs / 1_000} s`])].join(', and ')
}

/** Does something now, and again after each change of a file and each time that the interval is over, until SIGINT. */
async function repeat(
  io: ProcessIo,
  { files, everyMs }: { readonly files: readonly string[]; readonly everyMs: number | null },
  act: () => Promise<void>,
): Promise<void> {
  const ended = new AbortController()
  // A second Ctrl-C ends the process at once.
  io.once('SIGINT', () => ended.abort())
  let due = Promise.withResolvers<void>()
  const note = () => due.resolve()
  ended.signal.addEventListener('abort', note)
  for (const file of files) watchFile(pathIn(io, file), { interval: LOOK_MS }, note)
  try {
    while (!ended.signal.aborted) {
      // What changes during the check is due after it.
      due = Promise.withResolvers()
      await act()
      const timer = everyMs === null ? undefined : setTimeout(note, everyMs)
      await due.promise
      clearTimeout(timer)
    }
  } finally {
    for (const file of files) unwatchFile(pathIn(io, file), note)
  }
}
