import type { Argument, Command, Option } from 'commander'
import { commandLine, loadCommands } from '../../cli/command-line.ts'
import { EXIT_CODES } from '../../cli/exit-codes.ts'

/** An option of a command. Each is left out where it is false or unset. */
export interface PublicOption {
  readonly choices?: readonly string[]
  readonly default?: unknown
  readonly isMandatory?: true
  readonly takes?: 'a value' | 'values' | 'a value or none'
}

interface PublicArgument {
  readonly name: string
  readonly isRequired: boolean
  readonly takesMore: boolean
}

export interface PublicCommandLine {
  /** By the words of the command. */
  readonly commands: Readonly<Record<string, PublicCommand>>
  readonly exit_codes: Readonly<Record<string, number>>
}

export interface PublicCommand {
  readonly arguments: readonly PublicArgument[]
  /** By their flags. */
  readonly options: Readonly<Record<string, PublicOption>>
}

/** Returns all commands, what they take, and the exit codes. */
export async function commandLineOf(): Promise<PublicCommandLine> {
  const program = commandLine(process, '')
  await loadCommands(
    process,
    program,
    program.commands.map((command) => command.name()),
  )
  const exits = Object.entries(EXIT_CODES).map(([name, { code }]) => [name, code] as const)
  return { commands: Object.fromEntries(commandsBelow(program, '')), exit_codes: Object.fromEntries(exits) }
}

const commandsBelow = (parent: Command, before: string): [string, PublicCommand][] =>
  parent.commands
    .flatMap((command) => [command.name(), ...command.aliases()].map((name) => [`${before}${name}`, command] as const))
    .flatMap(([words, command]): [string, PublicCommand][] => [
      [words, publicCommand(command)],
      ...commandsBelow(command, `${words} `),
    ])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

function publicCommand(command: Command): PublicCommand {
  const options = command.options.filter(({ hidden }) => !hidden)
  return {
    arguments: command.registeredArguments.map(publicArgument),
    options: Object.fromEntries(
      options.flatMap((option) => flagsOf(option).map((flag) => [flag, publicOption(option)])),
    ),
  }
}

const publicArgument = (argument: Argument): PublicArgument => ({
  name: argument.name(),
  isRequired: argument.required,
  takesMore: argument.variadic,
})

const flagsOf = ({ short, long }: Option): string[] =>
  [short, long].filter((flag) => flag !== undefined && flag !== null)

function publicOption(option: Option): PublicOption {
  const takes = option.required ? (option.variadic ? 'values' : 'a value') : option.optional ? 'a value or none' : null
  return {
    ...(option.argChoices && { choices: option.argChoices }),
    ...(option.defaultValue !== undefined && { default: option.defaultValue }),
    ...(option.mandatory && { isMandatory: true }),
    ...(takes && { takes }),
  }
}
