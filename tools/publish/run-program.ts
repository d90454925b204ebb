import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PublishError } from './publish-error.ts'

/** Runs a program, or says what it would run. Returns what it prints. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>

const execute = promisify(execFile)

/** Returns a way to run programs that says each call. `isDry`: it runs none. */
export function createRunProgram(isDry: boolean, says: (line: string) => void): RunProgram {
  return async (program, args) => {
    says(`${isDry ? '' : '$ '}${[program, ...args].map(quoted).join(' ')}`)
    if (isDry) return ''
    try {
      const running = execute(program, args, { maxBuffer: 64 * 1024 * 1024 })
      // A program that would ask a question ends instead.
      running.child.stdin?.end()
      return (await running).stdout.trim()
    } catch (error) {
      throw new PublishError(reasonOf(program, error as NodeJS.ErrnoException & { readonly stderr?: string }))
    }
  }
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

function reasonOf(program: string, error: NodeJS.ErrnoException & { readonly stderr?: string }): string {
  if (error.code === 'ENOENT') return isMissing(program)
  const last = error.stderr?.trim().split('\n').slice(-5).join('\n') || error.message
  return `${program} failed. What is published stays, and the command can be run again:\n${last}`
}

/** Returns what is said of a program that is not on the path. */
export const isMissing = (program: string): string =>
  `${program} is not installed. Run npm run release-tools and put its folder on the path, or leave its part out with ` +
  '--only.'
