import { type Command, CommanderError } from 'commander'
import { journalError } from '../core/journal-line.ts'
import manifest from '../package.json' with { type: 'json' }
import { isJournal } from '../platform/is-journal.ts'
import { tell } from '../platform/print.ts'
import type { Output, ProcessIo } from '../platform/process-io.ts'
import { commandLine, loadCommands } from './command-line.ts'
import { exitCode } from './exit-codes.ts'
import { whenUnread } from './output.ts'

/**
 * Runs the command that `words` are. Resolves when it has ended, with its exit code in `io`; it never rejects. Of the
 * process that it runs in, a command uses `io` alone. The exceptions are `serve`, `api`, `worker`, `runner`, `browser`
 * and `operator`: each is a process, with its signals and its log.
 */
export async function runCommandLine(io: ProcessIo, words: readonly string[]): Promise<void> {
  const program = commandLine(io, manifest.version)
  /** What commander ended with: help, the version, or an invalid command line. It has printed that by then. */
  const ended = new Set<unknown>()
  const end = (error: CommanderError) => {
    ended.add(error)
    whenUnread(io, false)
    throw error
  }
  try {
    await loadCommands(io, program, words)
    endWith(io, program, end)
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (ended.has(error) && error instanceof CommanderError) {
      if (error.exitCode !== 0) io.exitCode = exitCode('usage')
      if (error.code === 'commander.unknownOption') await pointToSetting(io, { program, words }, error.message)
    } else await explainEnd(io, words, error)
  }
}

async function explainEnd(io: ProcessIo, [command]: readonly string[], error: unknown): Promise<void> {
  const { exitCodeOf, explain } = await import('./explain-error.ts')
  const { faultLine, isLogged } = await import('./fault-line.ts')
  const text = isLogged(io, command) ? faultLine(error) : `${explain(error)}\n`
  tell(io, isJournal(2, io.env['JOURNAL_STREAM']) ? journalError(text) : text)
  io.exitCode = exitCodeOf(error)
}

/**
 * Calls `end` when commander has printed help, the version or an error, for this command and all below it, and lets it
 * print to `io`.
 */
function endWith(io: ProcessIo, command: Command, end: (error: CommanderError) => never): void {
  command.exitOverride(end).configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    getOutHelpWidth: () => helpWidth(io.stdout),
    getErrHelpWidth: () => helpWidth(io.stderr),
    // Help has no colours, and an argument that is repeated in an error may have no escapes.
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  })
  for (const below of command.commands) endWith(io, below, end)
}

/** Returns the columns of a terminal. Elsewhere commander has its own width, and its type does not allow undefined. */
const helpWidth = ({ isTTY, columns }: Output): number => (isTTY ? columns : undefined) ?? HELP_WIDTH
/** That of commander. */
const HELP_WIDTH = 80

interface Given {
  readonly program: Command
  readonly words: readonly string[]
}

/** Says which setting an unknown option looks like. `message` contains the option in quotes. */
async function pointToSetting(io: ProcessIo, { program, words }: Given, message: string): Promise<void> {
  const { settingOfOption } = await import('../boot/settings/read-config.ts')
  const setting = settingOfOption(/'--([\w-]+)/.exec(message)?.[1] ?? '')
  if (setting !== null) {
    const command = words.find((word) => !word.startsWith('-') && program.commands.some((one) => one.name() === word))
    tell(
      io,
      `Settings are environment variables: set ${setting}, as in ${setting}=… ./tidemark ${command ?? 'serve'}\n`,
    )
  }
}
