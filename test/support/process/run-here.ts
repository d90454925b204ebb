import { resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { runCommandLine } from '../../../cli/run-command-line.ts'
import type { Input, Output, ProcessIo } from '../../../platform/process-io.ts'
import { DATA_DIR } from '../../../schema/config/server-settings.ts'
import type { Environment } from './cli-process.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** What a command is given in place of a process of its own. */
interface Surroundings {
  readonly environment: Environment
  readonly cwd: string
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
}

/**
 * Runs a command in the process of the test, by the function that the program calls too. Resolves with the exit code.
 * It gets no signal. A command that leaves something open fails the test file, where a process would hang.
 */
export async function runCommandHere(
  args: readonly string[],
  { environment, cwd, ...streams }: Surroundings,
): Promise<number> {
  const ended = Promise.withResolvers<void>()
  const io: ProcessIo = {
    // Settings take a folder that is not absolute as one below that of the process.
    env: { ...environment, ...(cwd !== process.cwd() && dataFolderIn(cwd, environment)) },
    cwd: () => cwd,
    ...streams,
    exit(code) {
      if (code !== undefined) io.exitCode = code
      ended.resolve()
    },
    on: () => {},
    once: () => {},
    off: () => {},
  }
  await Promise.race([runCommandLine(io, args), ended.promise])
  return Number(io.exitCode ?? 0)
}

function dataFolderIn(cwd: string, { TIDEMARK_DATA_DIR: folder = DATA_DIR }: Environment) {
  return { TIDEMARK_DATA_DIR: resolve(cwd, folder) }
}

/** As `runCli`, in the process of the test: a start of Node takes a second. */
export async function runHere(args: readonly string[], environment: Environment = {}, input = '') {
  const [stdout, stderr] = [collector(), collector()]
  const code = await runCommandHere(args, {
    environment: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    cwd: ROOT.replace(/\/$/, ''),
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false }),
    stdout,
    stderr,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collector() {
  const parts: Buffer[] = []
  const stream = new Writable({
    write(part: Buffer, _, done) {
      parts.push(part)
      done()
    },
  })
  return Object.assign(stream, { text: () => Buffer.concat(parts).toString('utf8') })
}
