import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { type Spread, spreadOf } from '../results/stats.ts'

/** The time from `npm start` to the first successful answer of `GET /readyz`, in ms. */
export interface StartUp {
  /** The time of a start that also creates the database. */
  readonly firstMs: number
  readonly laterMs: Spread
}

const ROOT = join(import.meta.dirname, '../..')
const LATER_STARTS = 3
const PATIENCE_MS = 60_000

export async function measureStartUp(): Promise<StartUp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-start-'))
  try {
    const firstMs = await startOnce(dataDir)
    const later: number[] = []
    for (let i = 0; i < LATER_STARTS; i++) later.push(await startOnce(dataDir))
    return { firstMs, laterMs: spreadOf(later) }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function startOnce(dataDir: string): Promise<number> {
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    TIDEMARK_DATA_DIR: dataDir,
    PORT: String(port),
    TIDEMARK_LOG_LEVEL: 'error',
  }
  const start = performance.now()
  const child = spawn('npm', ['start', '--silent'], { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    await untilReady(child, port)
    return performance.now() - start
  } finally {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (child.exitCode === null && performance.now() < until) {
    const answered = await request(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    await answered?.body.dump()
    if (answered?.statusCode === 200) return
    await pause(10)
  }
  throw new Error('it did not start')
}

/** Returns a port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
