import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import type { Logger } from '../../../core/logger.ts'
import { unprivilegedUser } from '../../../platform/unprivileged-user.ts'
import { BrowserError } from '../browser-error.ts'
import { type ChromiumProcess, startChromium } from './chromium-process.ts'
import { chromiumProgram } from './chromium-program.ts'
import { readLines } from './socket-lines.ts'

/**
 * Lines of JSON between a runner and the launcher of its pod, over one connection for each browser. The bytes of
 * DevTools go over a second connection, whose first line is the name of the channel.
 */
export interface LauncherAsk {
  readonly start?: {
    readonly proxyServer: string
    readonly heapMb: number
    readonly spki: string | null
    readonly isSandboxed: boolean
  }
  /** Asks what the processes of the browser use. */
  readonly usage?: true
  /** Ends one process of the browser. */
  readonly kill?: number
}

interface LauncherOptions {
  /** The path of the socket. */
  readonly socket: string
  /** `CHROMIUM_PATH`, or null. */
  readonly path: string | null
  readonly dataDir: string
  readonly log: Logger
}

/** A process that starts browsers for the runner of its pod. */
interface BrowserLauncher {
  close(): Promise<void>
}

/** Longest first line of a connection. */
const MAX_LINE = 65_536

/**
 * Starts browsers for a runner in another container, which has the token. A browser lives as long as its connection. It
 * shares the network with the runner, and neither its processes nor its files.
 */
export async function startBrowserLauncher({ socket, log, ...where }: LauncherOptions): Promise<BrowserLauncher> {
  const isAlone = await ownsContainer()
  const running = new Map<string, ChromiumProcess>()
  const connections = new Set<Socket>()
  let starting = 0

  async function start(connection: Socket, asked: NonNullable<LauncherAsk['start']>): Promise<ChromiumProcess | null> {
    const say = (what: object) => tell(connection, what)
    starting += 1
    try {
      const user = await unprivilegedUser(['nobody'])
      const program = await chromiumProgram({ ...where, user })
      const child = await startChromium({ ...asked, program, user, onOutput: (output) => say({ output }) })
      const channel = randomUUID()
      running.set(channel, child)
      connection.once('close', () => child.kill())
      void child.ended.then(() => {
        running.delete(channel)
        connection.end()
        if (isAlone && running.size + starting === 0) killOthers()
      })
      if (connection.destroyed) child.kill()
      say({ started: { pid: child.pid, channel } })
      return child
    } catch (error) {
      if (!(error instanceof BrowserError)) throw error
      say({ failed: error.message })
      connection.end()
      return null
    } finally {
      starting -= 1
    }
  }

  const server = createServer((connection) => {
    connections.add(connection)
    connection.on('error', () => connection.destroy())
    connection.once('close', () => connections.delete(connection))
    onFirstLine(connection, (line) => {
      if (line.startsWith('{')) return control(connection, line, { start, log })
      const child = running.get(line)
      if (!child) return void connection.destroy()
      connection.pipe(child.toBrowser)
      child.fromBrowser.pipe(connection)
    })
  })
  await rm(socket, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, resolve)
  })
  return {
    async close() {
      for (const connection of connections) connection.destroy()
      for (const child of running.values()) child.kill()
      await Promise.all([...running.values()].map(({ ended }) => ended))
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}

interface Controls {
  readonly start: (connection: Socket, asked: NonNullable<LauncherAsk['start']>) => Promise<ChromiumProcess | null>
  readonly log: Logger
}

/** Reads the lines of a runner. */
function control(connection: Socket, first: string, { start, log }: Controls): void {
  let child: Promise<ChromiumProcess | null> = Promise.resolve(null)
  const take = async (line: string): Promise<void> => {
    const { start: asked, usage, kill } = JSON.parse(line) as LauncherAsk
    if (asked) child = start(connection, asked)
    const one = await child
    if (kill !== undefined && kill > 1) one?.killOne(kill)
    if (usage === true && one) tell(connection, { usage: await usageOf(one) })
  }
  const taken = (line: string) =>
    void take(line).catch((err: unknown) => {
      log.warn({ err }, 'a browser could not be controlled')
      connection.destroy()
    })
  taken(first)
  readLines(connection, taken)
}

const tell = (connection: Socket, what: object): void =>
  void (connection.writable && connection.write(`${JSON.stringify(what)}\n`))

const usageOf = async (one: ChromiumProcess): Promise<readonly object[]> =>
  Promise.all((await one.usage()).map(async (used) => ({ ...used, showsPages: await one.showsPages(used.pid) })))

/** Calls `take` with the first line of a connection. What follows it stays in the connection. */
function onFirstLine(connection: Socket, take: (line: string) => void): void {
  let head = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\n')
    if (end < 0) return head.length > MAX_LINE ? void connection.destroy() : undefined
    connection.off('data', onData)
    connection.pause()
    if (end + 1 < head.length) connection.unshift(head.subarray(end + 1))
    take(head.subarray(0, end).toString())
  }
  connection.on('data', onData)
}

const INIT = '/usr/bin/tini\0--\0'

/**
 * Returns whether all other processes of a container come from browsers: this one is its first, or the only one that
 * the image's init was told to start.
 */
async function ownsContainer(): Promise<boolean> {
  if (process.pid === 1) return true
  if (process.ppid !== 1) return false
  const [first, own] = await Promise.all(['1', 'self'].map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8'))).catch(
    () => [],
  )
  return first !== undefined && first === `${INIT}${own}`
}

/** Ends what a page may have left in the container. The first process and this one are not among the others. */
function killOthers(): void {
  try {
    process.kill(-1, 'SIGKILL')
  } catch {
    // Nothing is left.
  }
}
