import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import type { EmbeddedLog } from '../../../platform/postgres/embedded-log.ts'

/** Collects what is logged above debug. */
export function silentLog(lines: string[] = []): EmbeddedLog {
  const keep = (line: string): void => {
    lines.push(line)
  }
  return { debug: () => undefined, info: keep, warn: keep, error: keep }
}

export interface TemporaryFolder extends AsyncDisposable {
  path: string
}

/** A folder of its own, open to be entered by others, and gone at the end of the block. */
export async function temporaryFolder(mode = 0o711): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tidemark-embedded-'))
  await chmod(path, mode)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** The first value of the first row. */
export async function ask(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // The server is killed under some of these connections.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement)
    return Object.values(rows[0] ?? {})[0]
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface Holder {
  process: ChildProcess
  url: string
  /** The next line that it writes. */
  nextLine(): Promise<string>
  ended: Promise<void>
}

/** Starts the embedded Postgres in a process of its own, which leads a process group as a shell's job does. */
export async function startHolder(dataDir: string): Promise<Holder> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start-and-hold.ts'), dataDir], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => String((await lines.next()).value)
  return { process: child, url: await nextLine(), nextLine, ended }
}

/** The pid of the server on a data directory of Postgres. */
export async function serverPid(data: string): Promise<number> {
  return Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10)
}

/** The pid of the shell that watches over a server. */
export async function watchmanPid(server: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args='])
  const line = stdout.split('\n').find((text) => text.endsWith(`tidemark-watchman ${server}`))
  return Number.parseInt(line ?? '', 10)
}
