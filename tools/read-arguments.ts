import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** What the one argument of a command is, in the words of its errors. */
interface Wanted<T extends ParseArgsOptionsConfig> {
  readonly options: T
  /** What to do where it is missing. */
  readonly missing: string
  /** What is done with one. */
  readonly single: string
}

const HELP = { help: { type: 'boolean', short: 'h' } } as const

/**
 * Returns the options of a command line and its one argument, which is undefined where help is asked for. Returns what
 * is wrong with the command line as a sentence.
 */
export function readArguments<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  { options, missing, single }: Wanted<T>,
) {
  try {
    const config = { args: [...args], options: { ...options, ...HELP }, allowPositionals: true } as const
    const { values, positionals } = parseArgs(config)
    const isHelp = Reflect.get(values, 'help') === true
    const [name, ...others] = isHelp ? [] : positionals
    if (!isHelp && name === undefined) return missing
    if (others.length > 0) return `${single}, and ${others.join(' ')} is more.`
    return { values, name }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
