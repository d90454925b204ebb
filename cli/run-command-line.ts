import { type Command, CommanderError } from 'commander'
import { journalError } from '../core/journal-line.ts'
import manifest from '../package.json' with { type: 'json' }
import { isJournal } from '../platform/is-journal.ts'
import { tell } from '../platform/print.ts'
import { commandLine, loadCommands } from './command-line.ts'
import { exitCode } from './exit-codes.ts'
import { whenUnread } from './output.ts'

// Node's thread pool resolves names and decompresses bodies. With the default of four threads, four name servers that
// do not answer would block it.
process.env['UV_THREADPOOL_SIZE'] ??= '24'

const program = commandLine(manifest.version)
const [, , ...words] = process.argv
await loadCommands(program, words)
/** What commander ended with: help, the version, or an invalid command line. It has printed that by then. */
const ended = new Set<unknown>()
endWith(program, (error) => {
  ended.add(error)
  whenUnread(false)
  throw error
})

try {
  await program.parseAsync()
} catch (error) {
  if (ended.has(error) && error instanceof CommanderError) {
    if (error.exitCode !== 0) process.exitCode = exitCode('usage')
    if (error.code === 'commander.unknownOption') await pointToSetting(error.message)
  } else {
    const { exitCodeOf, explain } = await import('./explain-error.ts')
    const { faultLine, isLogged } = await import('./fault-line.ts')
    const text = isLogged(words[0]) ? faultLine(error) : `${explain(error)}\n`
    tell(isJournal(2, process.env['JOURNAL_STREAM']) ? journalError(text) : text)
    process.exitCode = exitCodeOf(error)
  }
}

/** Calls `end` when commander has printed help, the version or an error, for this command and all below it. */
function endWith(command: Command, end: (error: CommanderError) => never): void {
  command.exitOverride(end)
  for (const below of command.commands) endWith(below, end)
}

/** Says which setting an unknown option looks like. `message` contains the option in quotes. */
async function pointToSetting(message: string): Promise<void> {
  const { settingOfOption } = await import('../boot/settings/read-config.ts')
  const setting = settingOfOption(/'--([\w-]+)/.exec(message)?.[1] ?? '')
  if (setting !== null) {
    const command = words.find((word) => !word.startsWith('-') && program.commands.some((one) => one.name() === word))
    tell(`Settings are environment variables: set ${setting}, as in ${setting}=… ./tidemark ${command ?? 'serve'}\n`)
  }
}
