import { type Command, InvalidArgumentError, Option } from 'commander'
import { OUTPUT_FORMS, type OutputForm } from './output.ts'

/** The forms that a command cannot print, and why. */
interface Without {
  readonly forms: readonly OutputForm[]
  readonly why: string
}

const LOG: Without = { forms: OUTPUT_FORMS, why: 'it prints its log until it ends, as JSON where no terminal is' }
const READER: Without = { forms: ['name'], why: 'what it reads has no name that another command takes' }

/**
 * The commands that do not print all forms, by what a person types. All others do: the options are added to every
 * command here, and nowhere else. docs/command-line.md has the same table.
 */
export const WITHOUT_FORMS: Readonly<Record<string, Without>> = {
  serve: LOG,
  api: LOG,
  worker: LOG,
  runner: LOG,
  browser: LOG,
  operator: LOG,
  completion: { forms: OUTPUT_FORMS, why: 'it prints a script for a shell' },
  check: READER,
  'check serp': READER,
  validate: READER,
  doctor: { forms: ['name'], why: 'what it finds has no name that another command takes' },
  'smoke-test': { forms: ['name'], why: 'it deletes what it has made' },
}

/**
 * Adds the options of the forms to a command, and returns whether it has any. `words`: how it is called, as in `admin
 * list-keys`.
 */
export function addOutputOptions(command: Command, words: string): boolean {
  const { forms: without = [], why = '' } = WITHOUT_FORMS[words] ?? {}
  const forms = OUTPUT_FORMS.filter((form) => !without.includes(form))
  const isFolder = (option: Option) => option.long === '--dir'
  const output = new Option('-o, --output <form>', 'the form of what is printed').choices(forms).default('table')
  output.argParser((text) => {
    if (forms.some((form) => form === text)) return text
    if (forms.length === 0) throw new InvalidArgumentError(`${words} has no forms: ${why}.`)
    if (without.some((form) => form === text)) throw new InvalidArgumentError(`${words} has no ${text}: ${why}.`)
    const hint = command.options.some(isFolder) ? ' Files are written by --dir.' : ''
    throw new InvalidArgumentError(`Allowed choices are ${forms.join(', ')}.${hint}`)
  })
  const json = new Option('--json', 'the same as --output json').conflicts('output')
  if (without.includes('json')) command.on('option:json', () => command.error(`error: ${words} has no --json: ${why}.`))
  for (const option of [output, json]) command.addOption(forms.length === 0 ? option.hideHelp() : option)
  return forms.length > 0
}
