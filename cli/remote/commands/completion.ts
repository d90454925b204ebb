import type { Command } from 'commander'
import { printable } from '../../../core/printable.ts'
import { quoted } from '../../../core/quoted.ts'
import { print } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import { type CommonOptions, connect } from '../connect.ts'
import { listRecords } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** What the scripts call to complete the names of monitors. */
const NAMES = 'names'
/** A person waits at a prompt. */
const NAMES_MS = 2_000

/**
 * Prints what makes a shell complete the commands and their options. It is made of the commands themselves. With
 * `names` it prints those of the monitors, which the scripts ask for.
 */
export const completion: Handler<object> = async ({ io, words: [shell = ''], options, program }) => {
  if (shell === NAMES) return printNames(io, options)
  if (!isShell(shell)) throw new RemoteError(`name the shell: ${SHELLS.join(', ')}`, 'usage')
  const { commands } = await program()
  print(io, SCRIPTS[shell](commands.map(partsOf)))
}

const isShell = (word: string): word is Shell => (SHELLS as readonly string[]).includes(word)

/** Prints what names each monitor, a line each. Where that is not known soon, it prints nothing: it fails unseen. */
async function printNames(io: ProcessIo, options: CommonOptions): Promise<void> {
  const late = setTimeout(() => io.exit(), NAMES_MS)
  const found = await listRecords(connect(io, options), null).catch(() => [])
  clearTimeout(late)
  const names = found.map(({ record: { name, external_key: key } }) => (key?.includes('/') ? key : name))
  print(io, names.map((name) => `${printable(name)}\n`).join(''))
}

/** What can be completed of a command. */
interface Parts {
  readonly name: string
  readonly what: string
  /** Its own commands, and the values that its argument may have. */
  readonly below: readonly Parts[]
  readonly values: readonly string[]
  /** Its arguments are names of monitors. */
  readonly takesNames: boolean
  readonly options: readonly {
    readonly flags: readonly string[]
    readonly what: string
    readonly takesValue: boolean
    readonly values: readonly string[]
  }[]
}

function partsOf(command: Command): Parts {
  const shown = command.options.filter(({ hidden }) => !hidden)
  const options = shown.map(({ short, long, description, required, optional, argChoices = [] }) => ({
    flags: [short, long].filter((flag) => flag !== undefined),
    what: description,
    takesValue: required || optional,
    values: argChoices,
  }))
  return {
    name: command.name(),
    what: firstSentence(command),
    below: command.commands.map(partsOf),
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    takesNames: command.registeredArguments.some((argument) => ['name', 'names'].includes(argument.name())),
    options: [...options, { flags: ['--help'], what: 'show the options and examples', takesValue: false, values: [] }],
  }
}

const firstSentence = (command: Command) => /^.*?[.:](?= |$)/.exec(command.description())?.[0] ?? command.description()

const wordsOf = ({ below, values, options }: Parts): string =>
  [...below.map(({ name }) => name), ...values, ...options.flatMap(({ flags }) => flags)].join(' ')

/** Returns the lines of a `case` for commands and for options that have a list of values. */
function cases(commands: readonly Parts[], act: (words: string) => string) {
  const line = (pattern: string, words: string) => `    ${pattern}) ${act(words)} ;;\n`
  const inner = commands.flatMap((one) => one.below.map((below) => ({ below, path: `${one.name} ${below.name}` })))
  const values = [...commands, ...inner.map(({ below }) => below)]
    .flatMap(({ options }) => options)
    .filter((option) => option.values.length > 0)
    .map(({ flags, values: known }) => [flags.join('|'), known.join(' ')] as const)
  return {
    values: [...new Map(values)].map(([flags, known]) => line(flags, known)).join(''),
    inner: inner.map(({ below, path }) => line(quoted(path), wordsOf(below))).join(''),
    outer: commands.map((one) => line(one.name, wordsOf(one))).join(''),
    named: commands
      .filter(({ takesNames }) => takesNames)
      .map(({ name }) => name)
      .join('|'),
  }
}

type Script = (commands: readonly Parts[]) => string

const bash: Script = (commands) => {
  const { values, inner, outer, named } = cases(commands, (words) => `words=${quoted(words)}`)
  return `_tidemark() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=''
  case \${COMP_WORDS[COMP_CWORD - 1]} in
${values}  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted(commands.map(({ name }) => name).join(' '))}
  elif [ -z "$words" ] && [ "$COMP_CWORD" -gt 2 ]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${inner}    esac
  fi
  [ -n "$words" ] || case \${COMP_WORDS[1]} in
${outer}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ "$COMP_CWORD" -gt 1 ] && case \${COMP_WORDS[1]} in
    ${named})
      local name
      while IFS= read -r name; do
        printf -v name %q "$name"
        [[ $name == "$word"* ]] && COMPREPLY+=("$name")
      done < <("\${COMP_WORDS[0]}" completion ${NAMES} 2>/dev/null) ;;
  esac
  return 0
}
complete -o default -F _tidemark tidemark ./tidemark
`
}

const zsh: Script = (commands) => {
  const { values, inner, outer, named } = cases(commands, (words) => `words_of=(${words})`)
  return `#compdef tidemark
_tidemark() {
  local -a commands words_of
  if (( CURRENT == 2 )); then
    commands=(
${commands.map(({ name, what }) => `      ${quoted(`${name}:${what}`)}\n`).join('')}    )
    _describe command commands
    return
  fi
  case $words[CURRENT-1] in
${values}  esac
  if (( \${#words_of} )); then
    compadd -a words_of
    return
  fi
  if (( CURRENT > 3 )); then
    case "$words[2] $words[3]" in
${inner}    esac
  fi
  (( \${#words_of} )) || case $words[2] in
${outer}  esac
  case $words[2] in
    ${named}) words_of+=("\${(@f)$($words[1] completion ${NAMES} 2>/dev/null)}") ;;
  esac
  words_of=(\${words_of:#})
  compadd -a words_of
  _files
}
# The first call of a file in fpath has to complete too.
if [ "\${funcstack[1]}" = _tidemark ]; then
  _tidemark "$@"
else
  compdef _tidemark tidemark ./tidemark
fi
`
}

const fish: Script = (commands) => {
  const line = (when: string, what: string) => `complete -c tidemark -n ${quoted(when)} ${what}\n`
  const optionsOf = (one: Parts, when: string) =>
    one.options.map(({ flags, what, takesValue, values }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
      const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : ''
      return line(when, `${names.join(' ')}${value} -d ${quoted(what)}`)
    })
  return commands
    .flatMap((one) => {
      const seen = `__fish_seen_subcommand_from ${one.name}`
      const names = one.below.map(({ name }) => name).join(' ')
      const open = names === '' ? seen : `${seen}; and not __fish_seen_subcommand_from ${names}`
      return [
        line('__fish_use_subcommand', `-a ${one.name} -d ${quoted(one.what)}`),
        ...one.below.map(({ name, what }) => line(open, `-a ${name} -d ${quoted(what)}`)),
        ...(one.values.length > 0 ? [line(seen, `-a ${quoted(one.values.join(' '))}`)] : []),
        ...(one.takesNames
          ? [line(seen, `-f -a ${quoted(`(eval (commandline -opc)[1] completion ${NAMES} 2>/dev/null)`)}`)]
          : []),
        ...optionsOf(one, open),
        ...one.below.flatMap((below) => optionsOf(below, `${seen}; and __fish_seen_subcommand_from ${below.name}`)),
      ]
    })
    .join('')
}

const SCRIPTS: Readonly<Record<Shell, Script>> = { bash, zsh, fish }
