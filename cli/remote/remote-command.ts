import { Command, InvalidArgumentError, Option } from 'commander'
import type { ProcessIo } from '../../platform/process-io.ts'
import { addOutputOptions } from '../output-options.ts'
import { whenUnread } from '../output.ts'
import type { CommonOptions } from './connect.ts'

/** What a command is called with. */
interface Invocation<O = unknown> {
  readonly words: readonly string[]
  readonly options: O & CommonOptions
  /** Returns the whole command line, with the commands that are otherwise loaded only when they are named. */
  readonly program: () => Promise<Command>
  readonly io: ProcessIo
}

/** Does what the command is for. Returns the exit code; nothing is 0. */
export type Handler<O = never> = (call: Invocation<O>) => Promise<number | void>

interface RemoteOption {
  readonly flags: string
  readonly what: string
  readonly choices?: readonly string[]
  /** A whole number up to this, from `least`. */
  readonly most?: number
  /** Default: 1. */
  readonly least?: number
  readonly default?: string | number
  /** It may be given several times. */
  readonly isList?: true
}

/** A command over REST. All that is known of it before it runs: help, completion and the tests are made of it. */
export interface RemoteCommand {
  readonly name: string
  readonly summary: string
  /** The argument as commander writes it, and what it is. */
  readonly argument?: readonly [string, string]
  readonly options?: readonly RemoteOption[]
  /** It changes something on a server. So it is completed when nobody reads its output. */
  readonly isChange?: true
  /** It is called without a server: it has no `--profile`, or another option of this name. */
  readonly isLocal?: true
  /** It says itself for which team the session acts. */
  readonly isAboutTeams?: true
  /** Text below the options. */
  readonly notes?: string
  /** Lines of shell, without comments: zsh takes those for words where people type. */
  readonly examples: readonly string[]
  readonly load: () => Promise<Handler>
}

const wholeNumber = (least: number, most: number) => (text: string) => {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : -1
  if (number < least || number > most) throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}`)
  return number
}

const collect = (text: string, before: readonly string[] = []) => [...before, text]

function optionOf({ flags, what, choices, most, least = 1, default: byDefault, isList }: RemoteOption): Option {
  const option = new Option(flags, what)
  if (choices) option.choices(choices)
  if (most !== undefined) option.argParser(wholeNumber(least, most))
  if (isList) option.argParser(collect)
  if (byDefault !== undefined) option.default(byDefault)
  return option
}

const PROFILE: RemoteOption = {
  flags: '--profile <name>',
  what: 'the server and key of this login (default: $TIDEMARK_PROFILE, or the last)',
}

/** Returns a command as commander knows it. */
export function commanderOf(known: RemoteCommand, { io, program }: Pick<Invocation, 'io' | 'program'>): Command {
  const { name, summary, argument, options = [], isLocal = false, isChange = false, notes, examples, load } = known
  const command = new Command(name).description(summary).helpGroup('Over REST, on any server:')
  if (argument) command.argument(...argument)
  for (const option of isLocal ? options : [...options, PROFILE]) command.addOption(optionOf(option))
  addOutputOptions(command, name)
  const lines = examples.map((example) => `  $ ${example}\n`).join('')
  command
    .addHelpText('after', `${notes === undefined ? '' : `\n${notes}\n`}\nExamples:\n${lines}`)
    .action(async (...given: readonly unknown[]) => {
      const [words, options] = argument ? given : [[], given[0]]
      whenUnread(io, isChange)
      if (!isLocal && !known.isAboutTeams)
        await (await import('./report-team.ts')).reportTeam(io, options as CommonOptions)
      const handler = await load()
      const list = Array.isArray(words) ? words : words === undefined ? [] : [words]
      const code = await handler({ words: list as readonly string[], options: options as never, program, io })
      if (typeof code === 'number') io.exitCode ||= code
    })
  return command
}
