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
  /** Resident memory of `tidemark serve` at rest, without its Postgres. */
  readonly restBytes: number
}

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = join(ROOT, 'cli/tidemark.ts')
const ROUNDS = 5
/** Some seconds after its start a server gives unused memory back. */
const REST_MS = 10_000

export async function measureCommandCost(): Promise<CommandCost> {
  return {
    helpMs: await processorMs(['--help']),
    checkMs: await processorMs(['check', join(ROOT, 'examples/kettle.html'), '--css', 'price=.price']),
    restBytes: await bytesAtRest(),
  }
}

/** Returns the least of some rounds: what else the machine does only adds to it. */
async function processorMs(args: readonly string[]): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const words = ['-c', '"$@" >/dev/null; times', 'sh', process.execPath, PROGRAM, ...args]
    const { stdout } = await promisify(execFile)('sh', words, { env: { PATH: process.env['PATH'] } })
    // The second line has user and system time of the children, as in 0m0.113s 0m0.041s.
    const times = stdout.trim().split('\n').at(-1) ?? ''
    const parts = Array.from(times.matchAll(/(\d+)m([\d.]+)s/g), ([, m, s]) => Number(m) * 60 + Number(s))
    found.push(1000 * parts.reduce((sum, part) => sum + part, 0))
  }
  return Math.min(...found)
}

async function bytesAtRest(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-rest-'))
  const env = { PATH: process.env['PATH'], TIDEMARK_DATA_DIR: folder, PORT: '0' }
  try {
    // The second start is measured: the first one creates the database and an account.
    await whileServing(env, async () => {})
    return await whileServing(env, async (pid) => {
      await pause(REST_MS)
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
      return Number(kilobytes) * 1024
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function whileServing<T>(env: NodeJS.ProcessEnv, work: (pid: number) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  try {
    while (!said.includes('is running at') && child.exitCode === null) await pause(20)
    return await work(child.pid ?? 0)
  } finally {
    child.kill('SIGTERM')
    await exited
  }
}
