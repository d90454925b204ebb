import { Command } from 'commander'
import type { ProcessIo } from '../platform/process-io.ts'
import { addCheck } from './check-commands.ts'
import { addDoctor } from './doctor-command.ts'
import { addImport, addTemplates, addValidate } from './manifest-commands.ts'
import { addOutputOptions } from './output-options.ts'
import { type OutputOptions, whenUnread } from './output.ts'
import { addApi, addBrowser, addMigrate, addOperator, addRunner, addServe, addWorker } from './process-commands.ts'
import { commanderOf } from './remote/remote-command.ts'
import { REMOTE_COMMANDS } from './remote/remote-commands.ts'

/**
 * The command line: names, descriptions, options and examples. The code of a command is loaded when the command runs,
 * so that `--help` and `--version` answer at once.
 */
export function commandLine(io: ProcessIo, version: string): Command {
  const program = new Command('tidemark')
    .description('Watches web pages, JSON APIs and feeds on a schedule, and delivers the changes.')
    .version(version)
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(tidemark --help shows the commands)')
  for (const add of [
    addServe,
    addApi,
    addWorker,
    addRunner,
    addBrowser,
    addOperator,
    addMigrate,
    addDoctor,
    addAdmin,
    addCheck,
    addClusterSecret,
    addSmokeTest,
    addImport,
    addTemplates,
    addValidate,
  ])
    add(io, program)
  for (const command of program.commands) addOutput(io, command)
  for (const command of REMOTE_COMMANDS)
    program.addCommand(commanderOf(command, { io, program: () => wholeCommandLine(io) }))
  pointToHelp(program, 'tidemark')
  return program
}

/** Returns the command line with the commands that are otherwise loaded only when they are named. */
async function wholeCommandLine(io: ProcessIo): Promise<Command> {
  const program = commandLine(io, '')
  await loadCommands(io, program, Object.keys(WITH_COMMANDS))
  return program
}

/** Lets each command below one say, after an error of its command line, which help shows what it takes. */
function pointToHelp(command: Command, path: string): void {
  for (const below of command.commands) {
    const own = `${path} ${below.name()}`
    const what = below.commands.length > 0 && below.options.length === 0 ? 'commands' : 'options'
    below.showHelpAfterError(`(${own} --help shows the ${what})`)
    pointToHelp(below, own)
  }
}

/** These only read, and end when nobody reads their output. A command that changes something is completed. */
const READERS: ReadonlySet<string> = new Set(['check', 'doctor', 'serp', 'import', 'templates', 'validate'])

/** Gives a command, and those below it, the options of what it prints. */
function addOutput(io: ProcessIo, command: Command, before = ''): void {
  const words = `${before}${command.name()}`
  for (const below of command.commands) addOutput(io, below, `${words} `)
  // A command that only has others prints nothing.
  if (WITH_COMMANDS[words]) return
  // A process that runs until it is stopped has its own way with its log.
  if (addOutputOptions(command, words)) command.hook('preAction', () => whenUnread(io, !READERS.has(command.name())))
}

const EXAMPLES = `
Settings are environment variables; docs/settings.md lists them.

Examples:
  $ npm start                                             all of it, on http://127.0.0.1:8080
  $ PORT=9000 ./tidemark serve                            the same on another port
  $ DATABASE_URL=postgres://… ./tidemark migrate          then: ./tidemark api, ./tidemark worker, as many as you like
  $ ./tidemark admin create-owner --email me@example.com  an account with a team and an API key
  $ ./tidemark check https://example.com/ --css title=h1  what would a run extract?
  $ ./tidemark login; ./tidemark get                      the monitors of a server, from any machine

Every command exits with 2 when its command line is not valid; docs/command-line.md has all exit codes.
`

const addClusterSecret = (_: ProcessIo, program: Command) =>
  program
    .command('cluster-secret')
    .description('Makes Secrets of a cluster that an installation there needs once. The Helm chart runs it.')

const SMOKE_TEST_HELP = `
It reads TIDEMARK_URL, the address of the API, and TIDEMARK_API_KEY, a key that may write.

Example:
  $ TIDEMARK_URL=http://127.0.0.1:8080 TIDEMARK_API_KEY=… ./tidemark smoke-test
`

const addSmokeTest = (io: ProcessIo, program: Command) =>
  program
    .command('smoke-test')
    .description('Makes a monitor through the API of a server, reads it, and deletes it. helm test runs it.')
    .addHelpText('after', SMOKE_TEST_HELP)
    .action(async (flags: OutputOptions) => {
      const { TIDEMARK_URL: url, TIDEMARK_API_KEY: key } = io.env
      await (await import('./commands/smoke-test.ts')).smokeTest(io, { url, key }, flags)
    })

const addAdmin = (_: ProcessIo, program: Command) =>
  program
    .command('admin')
    .description('Accounts, keys and plans of this installation, for its operator. The server may run meanwhile.')

/** Commands whose own commands need the definitions of plans and the store to be described. */
const WITH_COMMANDS: Readonly<Record<string, (io: ProcessIo) => Promise<readonly Command[]>>> = {
  admin: async (io) => (await import('./commands/admin.ts')).adminCommands(io),
  'cluster-secret': async (io) => (await import('./commands/cluster-secret.ts')).clusterSecretCommands(io),
}

/** Adds the commands of those commands that the arguments name. Call it before the arguments are parsed. */
export async function loadCommands(io: ProcessIo, program: Command, words: readonly string[]): Promise<void> {
  for (const parent of program.commands) {
    const load = words.includes(parent.name()) ? WITH_COMMANDS[parent.name()] : undefined
    for (const command of (await load?.(io)) ?? []) {
      addOutput(io, command, `${parent.name()} `)
      parent.addCommand(command)
    }
  }
  pointToHelp(program, 'tidemark')
}
