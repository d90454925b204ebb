import type { Command } from 'commander'
import type { ProcessIo } from '../platform/process-io.ts'
import type { OutputOptions } from './output.ts'

const HELP = `
Run it where the server runs, with the same settings, also beside the server. It changes nothing, sends no mail and no
prompt, and connects only to what the settings name. Its output has no value of a secret setting: add it to a report of
a fault. docs/doctor.md says what it looks at.

Exits with 0 when nothing failed, 1 when something did, 2 when the command line is not valid.

Examples:
  $ ./tidemark doctor
  $ ./tidemark doctor --json
  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… ./tidemark doctor
`

/** Adds the command that looks at what an installation needs. */
export const addDoctor = (io: ProcessIo, program: Command) =>
  program
    .command('doctor')
    .description('Looks at what Tidemark needs on this machine, and says what it finds and what to do.')
    .addHelpText('after', HELP)
    .action(async (flags: OutputOptions) => (await import('./commands/doctor.ts')).doctor(io, flags))
