import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** What commands cost that do little, and a server that does nothing. */
export interface CommandCost {
  /** Processor time of `tidemark --help`, in ms, user and system, of its threads too. */
  readonly helpMs: number
  /** The same of `tidemark check` of a small file. */
  readonly checkMs: number
  /** From a later start of `tidemark serve` until it says that it runs, in ms. */
  readonly readyMs: number
  /** Resident memory of it at rest, without its Postgres. */
  readonly restBytes: number
}

const ROOT = join(import.meta.dirname, '../..')
/** The command in a clone. */
export const OF_CLONE = join(ROOT, 'cli/tidemark.ts')
const ROUNDS = 5
/** Some seconds after its start a server gives unused memory back. */
const REST_MS = 10_000

/** Measures the command whose file is `program`. */
export async function measureCommandCost(program: string): Promise<CommandCost> {
  return {
    helpMs: await processorMs([program, '--help']),
    checkMs: await processorMs([program, 'check', join(ROOT, 'examples/kettle.html'), '--css', 'price=.price']),
    ...(await servedOnce(program)),
  }
}

/** Returns the least of some rounds: what else the machine does only adds to it. */
async function processorMs(args: readonly string[]): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const words = ['-c', '"$@" >/dev/null; times', 'sh', process.execPath, ...args]
    const { stdout } = await promisify(execFile)('sh', words, { env: { PATH: process.env['PATH'] } })
    // The second line has user and system time of the children, as in 0m0.113s 0m0.041s.
    const times = stdout.trim().split('\n').at(-1) ?? ''
    const parts = Array.from(times.matchAll(/(\d+)m([\d.]+)s/g), ([, m, s]) => Number(m) * 60 + Number(s))
    found.push(1000 * parts.reduce((sum, part) => sum + part, 0))
  }
  return Math.min(...found)
}

async function servedOnce(program: string): Promise<Pick<CommandCost, 'readyMs' | 'restBytes'>> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-rest-'))
  const env = { PATH: process.env['PATH'], TIDEMARK_DATA_DIR: folder, PORT: '0' }
  try {
    // The second start is measured: the first one creates the database and an account.
    await whileServing(program, env, async () => {})
    return await whileServing(program, env, async (pid, readyMs) => {
      await pause(REST_MS)
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
      return { readyMs, restBytes: Number(kilobytes) * 1024 }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function whileServing<T>(
  program: string,
  env: NodeJS.ProcessEnv,
  work: (pid: number, readyMs: number) => Promise<T>,
): Promise<T> {
  const start = performance.now()
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  try {
    while (!said.includes('is running at') && child.exitCode === null) await pause(5)
    return await work(child.pid ?? 0, performance.now() - start)
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}
