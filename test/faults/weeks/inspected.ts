import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../../support/run/eventually.ts'

/** What a process holds, after a collection of its garbage. */
export interface Held {
  /** Bytes of live objects, and of buffers outside of the heap. */
  readonly heap: number
  readonly external: number
  /** Resident bytes. */
  readonly resident: number
  readonly descriptors: number
  /** The number of them by what they lead to, so that a leak shows its kind. */
  readonly descriptorKinds: Readonly<Record<string, number>>
  /** Milliseconds of processor time since the begin. */
  readonly processorMs: number
}

/** The address that a process with NODE_OPTIONS=--inspect=… says. */
export const INSPECTOR = /Debugger listening on (ws:\/\/\S+)/

/** Collects the garbage of a process by its inspector, and measures what it holds then. */
export async function measureProcess(pid: number, inspector: string): Promise<Held> {
  const socket = new WebSocket(inspector)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  let asked = 0
  const ask = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve) => {
      const id = (asked += 1)
      const listen = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown }
        if (message.id !== id) return
        socket.removeEventListener('message', listen)
        resolve(message.result)
      }
      socket.addEventListener('message', listen)
      socket.send(JSON.stringify({ id, method, params }))
    })
  let memory: Memory = { heapUsed: 0, external: 0, rss: 0 }
  for (let n = 0; n < COLLECTIONS; n++) {
    await ask('HeapProfiler.collectGarbage')
    memory = (await ask('Runtime.evaluate', { expression: 'process.memoryUsage()', returnByValue: true }).then(
      (answer) => (answer as { readonly result: { readonly value: Memory } }).result.value,
    )) as Memory
  }
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }))
  socket.close()
  await closed
  return {
    heap: memory.heapUsed,
    external: memory.external,
    resident: memory.rss,
    descriptors: await descriptorsOf(pid),
    descriptorKinds: await descriptorKindsOf(pid),
    processorMs: await processorMsOf(pid),
  }
}

interface Memory {
  readonly heapUsed: number
  readonly external: number
  readonly rss: number
}

/** One collection calls finalizers, whose objects the next one frees. */
const COLLECTIONS = 3

/** Open descriptors, when two looks in a row found as many: connections that nobody uses are closed after a while. */
async function descriptorsOf(pid: number): Promise<number> {
  let before = -1
  return eventually(
    async () => {
      const now = (await readdir(`/proc/${pid}/fd`)).length
      const isQuiet = now === before
      before = now
      return { now, isQuiet }
    },
    ({ isQuiet }) => isQuiet,
    { everyMs: LOOK_EVERY_MS },
  ).then(({ now }) => now)
}

/** Sockets and pipes have numbers of their own: `socket:[123]`. Everything else with a path is a file. */
async function descriptorKindsOf(pid: number): Promise<Record<string, number>> {
  const folder = `/proc/${pid}/fd`
  const kinds: Record<string, number> = {}
  for (const name of await readdir(folder)) {
    const target = await readlink(join(folder, name)).catch(() => 'closed')
    const kind = /^(?:socket|pipe|anon_inode:\W?\w+)/.exec(target)?.[0] ?? 'file'
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  return kinds
}

const LOOK_EVERY_MS = 1_000
const TICKS_A_SECOND = 100

async function processorMsOf(pid: number): Promise<number> {
  // Behind the name of the program, which is in parentheses: user time and system time are the fields 14 and 15.
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_A_SECOND
}
