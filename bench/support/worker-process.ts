import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const REPORT_MEMORY = new URL('report-memory.ts', import.meta.url).href
const COMMAND = fileURLToPath(new URL('../../cli/tidemark.ts', import.meta.url))

/** The key that encrypts all secrets of the bench. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')

/** The memory of the main thread's heap, and that of the whole process, extraction threads included. */
export interface Memory {
  readonly heapBytes: number
  readonly rssBytes: number
  /** The same once V8 has given back what a collection freed. Absent in older results. */
  readonly restedBytes?: number
}

export interface WorkerProcess {
  readonly pid: number
  /** Returns the memory after a garbage collection, and the resident one after so many seconds without work. */
  memory(restSeconds: number): Promise<Memory>
  /** Sends SIGTERM and waits for a clean exit; throws for any other end. */
  stop(): Promise<void>
}

/**
 * Starts the real command, `tidemark worker`, with its defaults except what a bench on one machine needs. `profileDir`:
 * the folder for its CPU profile.
 */
export async function startWorkerProcess(databaseUrl: string, profileDir?: string): Promise<WorkerProcess> {
  const flags = profileDir === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileDir]
  const child = spawn(process.execPath, ['--expose-gc', '--import', REPORT_MEMORY, ...flags, COMMAND, 'worker'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      TIDEMARK_ENCRYPTION_KEY: ENCRYPTION_KEY,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      // All targets are on one host here, and the bare loop has 128 requests in flight to it. One host gets at most
      // half of a worker's slots.
      TIDEMARK_HOST_CONCURRENCY: '128',
      TIDEMARK_CHECK_CONCURRENCY: '256',
    },
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  await saysReady(child)
  return {
    pid: child.pid ?? 0,
    async memory(restSeconds) {
      const answer = once(child, 'message')
      child.send(restSeconds * 1000)
      const [memory] = (await answer) as [Memory]
      return memory
    },
    async stop() {
      process.off('exit', kill)
      if (child.exitCode !== null) throw new Error(`the worker ended by itself with ${child.exitCode}`)
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      if (code !== 0) throw new Error(`the worker ended with ${code}`)
    },
  }
}

/** Returns the resident memory of a process now, in bytes. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

function saysReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code} instead of starting`)))
    // Lines of the log are read and dropped, as by a collector.
    child.stdout?.on('data', (text: Buffer) => {
      if (text.includes('Tidemark is checking')) resolve()
    })
  })
}
