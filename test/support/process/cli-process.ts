import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ENTRY = fileURLToPath(new URL('../../../cli/tidemark.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PATIENCE_MS = 120_000

/** A `tidemark` command that runs. */
export interface CliProcess extends AsyncDisposable {
  readonly pid: number
  readonly stdout: string
  readonly stderr: string
  /** Resolves with the match when standard output matches; rejects when the process ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** The same for standard error. */
  complains(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** The exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>
}

export type Environment = Readonly<Record<string, string>>

/** Starts a command. Of our own environment it gets PATH alone; what it leaves running is killed on disposal. */
export function startCli(args: readonly string[], environment: Environment = {}): CliProcess {
  return startProcess([process.execPath, ENTRY, ...args], environment)
}

/** As `startCli`, a line of shell, by default in the folder of the program, as a supervisor runs it. */
export function startShell(line: string, environment: Environment = {}, cwd = ROOT): CliProcess {
  return startProcess(['sh', '-c', line], environment, cwd)
}

function startProcess([file = '', ...args]: readonly string[], environment: Environment, cwd = ROOT): CliProcess {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment }
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      for (const look of listeners) look()
    })
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve))
  const matches = (pattern: RegExp, name: 'stdout' | 'stderr') =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const timer = setTimeout(() => end('was not said in time'), PATIENCE_MS)
      const stop = () => {
        clearTimeout(timer)
        listeners.delete(look)
      }
      const end = (what: string) => {
        stop()
        reject(new Error(`${String(pattern)} ${what}:\n${text.stdout}\n${text.stderr}`))
      }
      const look = () => {
        const match = pattern.exec(text[name])
        if (!match) return
        stop()
        resolve(match)
      }
      listeners.add(look)
      look()
      void exited.then(() => listeners.has(look) && end('was not said before the end'))
    })
  return {
    pid: child.pid ?? -1,
    get stdout() {
      return text.stdout
    },
    get stderr() {
      return text.stderr
    },
    says: (pattern) => matches(pattern, 'stdout'),
    complains: (pattern) => matches(pattern, 'stderr'),
    signal: (name) => void child.kill(name),
    exited,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
    },
  }
}

/** Runs a command to its end. */
export async function runCli(args: readonly string[], environment: Environment = {}) {
  await using cli = startCli(args, environment)
  const code = await cli.exited
  return { code, stdout: cli.stdout, stderr: cli.stderr }
}
