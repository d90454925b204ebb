import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watchOver } from '../../../../platform/watchman.ts'
import { DOCUMENT_LIMITS } from '../document-limits.ts'
import { type Frame, frameOf, FrameReader } from './frames.ts'
import { residentMb } from './resident-memory.ts'
import { traceOfOutput } from './trace-of-output.ts'

/** Why a process gave no answer. `start`: it did not begin to read in time. `broken`: of itself, and where. */
export type NoAnswer =
  | { readonly why: 'start' | 'time' | 'memory' | 'stopped' }
  | { readonly why: 'broken'; readonly trace: string }

/** `readMs`: the time of the file alone, from when the process could read it. */
export type Answer = { readonly readMs: number } & (
  | { readonly ok: true; readonly frame: Frame }
  | ({ readonly ok: false } & NoAnswer)
)

type Settled = { readonly ok: true; readonly frame: Frame } | ({ readonly ok: false } & NoAnswer)

const PROGRAM = fileURLToPath(new URL('open-documents.ts', import.meta.url))
/**
 * What the process may read beside the folder of its program: in a clone, these are other ones. A bundle has them in
 * its own folder; each is written out here, so that the bundler points it into the package (tools/package/bundle.ts).
 */
const ALSO = [
  new URL('../../../../runners/', import.meta.url),
  new URL('../../../../core/', import.meta.url),
  new URL('../../../../schema/', import.meta.url),
  new URL('../../../../package.json', import.meta.url),
]
const PACKAGES = ['pdfjs-dist', 'ical.js', 'htmlparser2']
const KEPT_OUTPUT = 2_000
const LOOK_MS = 50
/** The longest start, on a busy machine. */
const START_MS = 15_000
/** Of the memory that it may take: a process that holds more when it is at rest is not kept. */
const KEPT_PART = 2 / 3
/** What a process holds after some PDF of twenty pages. One that may take little is kept with so much. */
const KEPT_MB = 150

/**
 * Returns the arguments with which Node runs a program that reads the program alone, starts nothing, loads no addon and
 * makes no code of a text.
 */
export const confinedArguments = (program: string, heapMb: number = DOCUMENT_LIMITS.heapMb): readonly string[] => [
  '--permission',
  ...readable().map((path) => `--allow-fs-read=${path}`),
  '--disallow-code-generation-from-strings',
  `--max-old-space-size=${heapMb}`,
  '--no-warnings',
  program,
]

function readable(): string[] {
  const { resolve } = createRequire(import.meta.url)
  const modules = PACKAGES.flatMap((name) => {
    const folder = resolve.paths(name)?.find((path) => existsSync(join(path, name)))
    // A package may be a link to where it is kept, beside what it depends on.
    return folder === undefined ? [] : [folder, modulesOf(realpathSync(join(folder, name)))]
  })
  const others = ALSO.map((url) => fileURLToPath(url))
  return [...new Set([`${dirname(PROGRAM)}${sep}`, ...others, ...modules.map((path) => `${path}${sep}`)])]
}

const modulesOf = (path: string) => path.slice(0, path.lastIndexOf(`${sep}node_modules${sep}`) + '/node_modules'.length)

/**
 * A process that opens files, one at a time. It has no environment, reads nothing but the program, starts nothing, and
 * runs no code that is made of a text. It ends when it takes too long or too much memory; then another is started.
 */
export class DocumentProcess {
  readonly #child: ChildProcess
  #reader = new FrameReader(DOCUMENT_LIMITS.outputBytes)
  #output = ''
  #settle: ((answer: Settled) => void) | null = null
  #isOver = false
  #isKilled = false
  #hasRead = false
  readonly #endWatch: () => void
  /** `performance.now()` when it could be asked; null: it is starting. */
  #readyAt: number | null = null

  readonly #mostMb: number

  /** @param mostMb the resident memory that it may take: at most that of `DOCUMENT_LIMITS` */
  constructor(nice: number, mostMb: number) {
    this.#mostMb = mostMb
    // Its buffers and its code are outside of the heap.
    const heapMb = Math.floor((DOCUMENT_LIMITS.heapMb * mostMb) / DOCUMENT_LIMITS.residentMb)
    this.#child = spawn(process.execPath, confinedArguments(PROGRAM, heapMb), {
      cwd: '/',
      env: { TZ: 'UTC' },
      stdio: 'pipe',
      detached: true,
    })
    this.#child.on('error', (error) => this.#end({ why: 'broken', trace: String(error.stack) }))
    this.#child.on('close', (_, signal) => {
      this.#endWatch()
      this.#end(this.#isOfMemory(signal) ? { why: 'memory' } : this.#broken())
    })
    // A process that has ended breaks the pipe. Its end is reported.
    this.#child.stdin?.on('error', () => undefined)
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString('latin1')).slice(-KEPT_OUTPUT)
    })
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk))
    const { pid } = this.#child
    if (pid !== undefined) {
      lowerPriority(pid, nice)
      offerToKernel(pid)
    }
    // A busy one does not see that its input has ended.
    this.#endWatch = pid === undefined ? () => undefined : watchOver(pid, null)
    this.#setWaiting(false)
  }

  /** It has answered at least once. */
  get hasRead(): boolean {
    return this.#hasRead
  }

  /** It may not be asked any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Never rejects. The process ends where there is no answer within `ms`, or where it takes too much memory. */
  async ask(head: object, body: Uint8Array, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<Answer> {
    if (this.#isOver) return { ok: false, readMs: 0, ...this.#broken() }
    const since = performance.now()
    const answered = Promise.withResolvers<Settled>()
    this.#settle = answered.resolve
    this.#setWaiting(true)
    const stop = () => this.#kill({ why: 'stopped' })
    signal.addEventListener('abort', stop, { once: true })
    const look = setInterval(() => {
      if (this.#readyAt === null) {
        if (performance.now() - since > START_MS) this.#kill({ why: 'start' })
      } else if (this.#readMs(since) > ms) this.#kill({ why: 'time' })
      else if (this.#residentMb() > this.#mostMb) this.#kill({ why: 'memory' })
    }, LOOK_MS)
    try {
      for (const part of frameOf(head, body)) this.#child.stdin?.write(part)
      const answer = await answered.promise
      if (answer.ok) this.#hasRead = true
      return { ...answer, readMs: this.#readMs(since) }
    } finally {
      clearInterval(look)
      signal.removeEventListener('abort', stop)
      this.#setWaiting(false)
      if (this.#residentMb() > Math.max(KEPT_MB, this.#mostMb * KEPT_PART)) this.close()
    }
  }

  close(): void {
    this.#kill({ why: 'stopped' })
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) {
        // Its first message says that it reads.
        if (this.#readyAt === null) this.#readyAt = performance.now()
        else {
          this.#settle?.({ ok: true, frame })
          this.#settle = null
        }
      }
    } catch {
      this.#kill(this.#broken())
    }
  }

  /** The time of a file begins when the process reads. */
  #readMs(since: number): number {
    return this.#readyAt === null ? 0 : performance.now() - Math.max(since, this.#readyAt)
  }

  /** V8 aborts when its heap is full, and the kernel kills a process where memory is short. */
  #isOfMemory(signal: NodeJS.Signals | null): boolean {
    return signal === 'SIGABRT' || signal === 'SIGTRAP' || (signal === 'SIGKILL' && !this.#isKilled)
  }

  #broken = (): NoAnswer => ({ why: 'broken', trace: traceOfOutput(this.#output) })

  #kill(why: NoAnswer): void {
    this.#isKilled = true
    this.#child.kill('SIGKILL')
    this.#endWatch()
    this.#end(why)
  }

  #end(why: NoAnswer): void {
    this.#isOver = true
    this.#settle?.({ ok: false, ...why })
    this.#settle = null
  }

  /** A process that is at rest keeps nothing from ending. */
  #setWaiting(isWaiting: boolean): void {
    const { stdin, stdout, stderr } = this.#child
    const does = isWaiting ? 'ref' : 'unref'
    this.#child[does]()
    for (const stream of [stdin, stdout, stderr])
      if (stream && does in stream) (stream as unknown as Record<typeof does, () => void>)[does]()
  }

  /** Its resident memory; 0 where the system does not tell. */
  #residentMb(): number {
    try {
      return residentMb(readFileSync(`/proc/${this.#child.pid}/status`, 'latin1'))
    } catch {
      return 0
    }
  }
}

function lowerPriority(pid: number, nice: number): void {
  try {
    if (nice > 0) setPriority(pid, nice)
  } catch {
    // The process has already ended, or this platform does not allow it.
  }
}

/** Where memory is short, the kernel ends it before anything else of the container. */
function offerToKernel(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // As above.
  }
}
