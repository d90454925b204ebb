import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENCRYPTION_KEY } from '../support/worker-process.ts'

const COMMAND = fileURLToPath(new URL('../../cli/tidemark.ts', import.meta.url))
/** Node gives half of what a container may use to its heap. This is that of 512 MiB. */
const HEAP_MB = 256

interface ApiCommand {
  readonly base: string
  /** The most resident memory since it was asked for the last time, in bytes. */
  mostBytes(): number
  stop(): Promise<void>
}

/** Starts the real command, `tidemark api`, with the heap of a container of 512 MiB. */
export async function startApiCommand(databaseUrl: string): Promise<ApiCommand> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-api-'))
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, COMMAND, 'api'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      TIDEMARK_ENCRYPTION_KEY: ENCRYPTION_KEY,
      TIDEMARK_DATA_DIR: folder,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      PORT: '0',
    },
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  return {
    base: await addressOf(child),
    mostBytes() {
      const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      // 5: count the peak anew.
      writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
      return Number(kilobytes) * 1024
    },
    async stop() {
      process.off('exit', kill)
      const ended = child.exitCode ?? child.signalCode
      if (ended !== null) throw new Error(`the API ended by itself with ${ended}`)
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the API ended with ${code} instead of starting`)))
    let said = ''
    child.stdout?.on('data', (text: Buffer) => {
      said += text.toString()
      const [, base] = /(http:\/\/[^\s"]+)/.exec(said) ?? []
      if (base !== undefined) resolve(base)
      said = said.slice(-1_000)
    })
  })
}
