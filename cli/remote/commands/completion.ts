import type { Command } from 'commander'
import { commandLine } from '../../command-line.ts'
import { print } from '../output.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** Prints what makes a shell complete the commands and their options. It is made of the commands themselves. */
export const completion: Handler<object> = async ({ words: [shell = ''] }) => {
  if (!isShell(shell)) throw new RemoteError(`name the shell: ${SHELLS.join(', ')}`, 'usage')
  const { commands } = commandLine('')
  print(SCRIPTS[shell](commands))
}

const isShell = (word: string): word is Shell => (SHELLS as readonly string[]).includes(word)

const optionsOf = (command: Command): string[] =>
  [...command.options.flatMap(({ short, long }) => [short, long]), '--help'].filter((flag) => flag !== undefined)
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

type Script = (commands: readonly Command[]) => string

const bash: Script = (commands) => `_tidemark() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.map((command) => command.name()).join(' '))} -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${commands
  .map(
    (command) =>
      `    ${command.name()}) COMPREPLY=($(compgen -W ${quoted(optionsOf(command).join(' '))} -- "$word")) ;;\n`,
  )
  .join('')}  esac
}
complete -o default -F _tidemark tidemark ./tidemark
`

const zsh: Script = (commands) => `#compdef tidemark
_tidemark() {
  local -a commands
  commands=(
${commands.map((command) => `    ${quoted(`${command.name()}:${firstSentence(command)}`)}\n`).join('')}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${commands.map((command) => `    ${command.name()}) compadd -- ${optionsOf(command).join(' ')} ;;\n`).join('')}  esac
  _files
}
compdef _tidemark tidemark ./tidemark
`

const fish: Script = (commands) =>
  commands
    .map((command) => {
      const name = command.name()
      const first = `complete -c tidemark -n __fish_use_subcommand -a ${name} -d ${quoted(firstSentence(command))}\n`
      const flags = command.options.map(({ short, long, description }) => {
        const names = `${short ? `-s ${short.slice(1)} ` : ''}${long ? `-l ${long.slice(2)} ` : ''}`
        return `complete -c tidemark -n '__fish_seen_subcommand_from ${name}' ${names}-d ${quoted(description)}\n`
      })
      return first + flags.join('')
    })
    .join('')

const firstSentence = (command: Command) => /^.*?[.:](?= |$)/.exec(command.description())?.[0] ?? command.description()

const SCRIPTS: Readonly<Record<Shell, Script>> = { bash, zsh, fish }
