import { type ChildProcess, spawn } from 'node:child_process'
import type { UnprivilegedUser } from './unprivileged-user.ts'

/**
 * The whole environment of a child process. The parent's environment contains secrets that the child does not need, and
 * its locale would translate the output that is parsed here.
 */
export const CHILD_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' } as const

export interface ProgramRun {
  program: string
  args: readonly string[]
  user: UnprivilegedUser | null
  /** Written to standard input, which is then closed. */
  input?: string
  /** Variables beside those that every child process has. */
  environment?: Readonly<Record<string, string>>
}

interface ProgramResult {
  ok: boolean
  /** Standard output and error together, in the order of their arrival. */
  output: string
}

/** Runs a program to its end. A program that cannot be started is a result with `ok: false` too. */
export function runProgram({ program, args, user, input = '', environment = {} }: ProgramRun): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const failed = (error: unknown) =>
      resolve({ ok: false, output: error instanceof Error ? error.message : String(error) })
    let child: ChildProcess
    try {
      const env = { ...CHILD_ENVIRONMENT, ...environment }
      child = spawn(program, args, { cwd: '/', env, stdio: 'pipe', ...user })
    } catch (error) {
      // Such as ENOMEM and E2BIG.
      failed(error)
      return
    }
    child.on('error', failed)
    let output = ''
    const collect = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    // Where no file can be opened any more, there are no streams, and the error follows.
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    // A program may end without reading its input. Its exit code decides.
    child.stdin?.on('error', () => undefined)
    child.on('close', (code) => resolve({ ok: code === 0, output }))
    child.stdin?.end(input)
  })
}
