import { runDoctor } from '../../boot/doctor/run-doctor.ts'
import { printable } from '../../core/printable.ts'
import manifest from '../../package.json' with { type: 'json' }
import { print, progress } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { DoctorFinding, DoctorReport } from '../../schema/doctor.ts'
import { exitCode } from '../exit-codes.ts'
import { coloured, formOf, inLines, isForPrograms, type OutputOptions, printData, terminalWidth } from '../output.ts'

/** What still runs after the report, such as a connection that hangs, is ended. */
const END_MS = 1_000

/** Prints what was found and what to do. The exit code says whether anything failed. */
export async function doctor(io: ProcessIo, flags: OutputOptions): Promise<void> {
  const form = formOf(flags)
  progress(io, 'Looking. A browser that starts for the first time takes some seconds …')
  const report = await runDoctor({
    environment: io.env,
    version: manifest.version,
    neededNode: Number.parseInt(manifest.devDependencies.node, 10),
  })
  if (isForPrograms(form)) await printData(io, form, report)
  else print(io, textOf(io, report))
  if (report.failed > 0) io.exitCode = exitCode('failed')
  setTimeout(() => io.exit(), END_MS).unref()
}

const STATUSES: Readonly<Record<DoctorFinding['status'], readonly ['good' | 'bad' | 'waiting' | 'aside', string]>> = {
  ok: ['good', 'ok'],
  warning: ['waiting', 'warning'],
  failed: ['bad', 'failed'],
  not_set_up: ['aside', 'not set up'],
}
const STATUS_WIDTH = 12
const NAME_WIDTH = 12
const LEAST_ROOM = 30

/** Returns for each check a line that says what was found, and below it one that says what to do. */
function textOf(io: ProcessIo, { version, node, system, failed, warnings, checks }: DoctorReport): string {
  const indent = ' '.repeat(STATUS_WIDTH + NAME_WIDTH)
  const room = Math.max(LEAST_ROOM, terminalWidth(io) - indent.length)
  const lines = checks.flatMap(({ name, status, what, advice }) => {
    const [colour, word] = STATUSES[status]
    const gap = ' '.repeat(STATUS_WIDTH - word.length)
    const head = `${coloured(io, { text: word, colour })}${gap}${name.padEnd(NAME_WIDTH)}`
    const texts = [what, ...(advice === null ? [] : [`→ ${advice}`])]
    const [first = '', ...more] = texts.flatMap((text) => inLines(printable(text), room))
    return [`${head}${first}`, ...more.map((text) => `${indent}${text}`)]
  })
  const counted = [
    ...(failed > 0 ? [coloured(io, { text: `${failed} failed`, colour: 'bad' })] : []),
    ...(warnings > 0
      ? [coloured(io, { text: warnings === 1 ? '1 warning' : `${warnings} warnings`, colour: 'waiting' })]
      : []),
  ]
  const end = counted.length === 0 ? 'Nothing failed.' : `${counted.join(', ')}.`
  return `Tidemark ${version}, Node ${node}, ${system}\n\n${lines.join('\n')}\n\n${end}\n`
}
