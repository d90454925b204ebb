import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DOCUMENT_LIMITS } from '../document-limits.ts'
import { type Frame, frameOf, FrameReader } from './frames.ts'

/** Why a process gave no answer. `broken`: of itself, with the end of its standard error. */
export type NoAnswer =
  | { readonly why: 'time' | 'memory' | 'stopped' }
  | { readonly why: 'broken'; readonly output: string }

type Answer = { readonly ok: true; readonly frame: Frame } | ({ readonly ok: false } & NoAnswer)

const PROGRAM = fileURLToPath(new URL('open-documents.ts', import.meta.url))
/** What the process may read beside the folder of its program: in a clone, these are other ones. */
const ALSO = ['../../../../runners/', '../../../../core/', '../../../../schema/', '../../../../package.json']
const PACKAGES = ['pdfjs-dist', 'ical.js', 'htmlparser2']
const KEPT_OUTPUT = 2_000
const PAGE_BYTES = 4_096
const LOOK_MS = 50
/** The longest start, on a busy machine. */
const START_MS = 15_000
/** A process that holds more when it is at rest is not kept. */
const KEPT_MB = 256

/**
 * Returns the arguments with which Node runs a program that reads the program alone, starts nothing, loads no addon and
 * makes no code of a text.
 */
export const confinedArguments = (program: string): readonly string[] => [
  '--permission',
  ...readable().map((path) => `--allow-fs-read=${path}`),
  '--disallow-code-generation-from-strings',
  `--max-old-space-size=${DOCUMENT_LIMITS.heapMb}`,
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
  const others = ALSO.map((path) => fileURLToPath(new URL(path, import.meta.url)))
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
  #settle: ((answer: Answer) => void) | null = null
  #isOver = false
  /** `performance.now()` when it could be asked; null: it is starting. */
  #readyAt: number | null = null

  constructor(nice: number) {
    this.#child = spawn(process.execPath, confinedArguments(PROGRAM), {
      cwd: '/',
      env: { TZ: 'UTC' },
      stdio: 'pipe',
      detached: true,
    })
    this.#child.on('error', (error) => this.#end({ why: 'broken', output: error.message }))
    this.#child.on('close', (_, signal) =>
      // V8 ends the process so when its heap is full.
      this.#end(signal === 'SIGABRT' || signal === 'SIGTRAP' ? { why: 'memory' } : this.#broken()),
    )
    // A process that has ended breaks the pipe. Its end is reported.
    this.#child.stdin?.on('error', () => undefined)
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString('latin1')).slice(-KEPT_OUTPUT)
    })
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk))
    lowerPriority(this.#child.pid, nice)
    this.#setWaiting(false)
  }

  /** It may not be asked any more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Never rejects. The process ends where there is no answer within `ms`, or where it takes too much memory. */
  async ask(head: object, body: Uint8Array, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<Answer> {
    if (this.#isOver) return { ok: false, ...this.#broken() }
    const since = performance.now()
    const answered = Promise.withResolvers<Answer>()
    this.#settle = answered.resolve
    this.#setWaiting(true)
    const stop = () => this.#kill({ why: 'stopped' })
    signal.addEventListener('abort', stop, { once: true })
    const look = setInterval(() => {
      if (this.#isLate(since, ms)) this.#kill({ why: 'time' })
      else if (this.#residentMb() > DOCUMENT_LIMITS.residentMb) this.#kill({ why: 'memory' })
    }, LOOK_MS)
    try {
      for (const part of frameOf(head, body)) this.#child.stdin?.write(part)
      return await answered.promise
    } finally {
      clearInterval(look)
      signal.removeEventListener('abort', stop)
      this.#setWaiting(false)
      if (this.#residentMb() > KEPT_MB) this.close()
    }
  }

  close(): void {
    this.#kill({ why: 'stopped' })
  }

  #receive(chunk: Buffer): void {
    try {
      const frame = this.#reader.push(chunk)
      if (!frame) return
      if (this.#readyAt === null) {
        // Its first message says that it reads.
        this.#readyAt = performance.now()
        return
      }
      this.#settle?.({ ok: true, frame })
      this.#settle = null
    } catch {
      this.#kill(this.#broken())
    }
  }

  /** The time of a file begins when the process reads. */
  #isLate(since: number, ms: number): boolean {
    const now = performance.now()
    return this.#readyAt === null ? now - since > START_MS : now - Math.max(since, this.#readyAt) > ms
  }

  #broken = (): NoAnswer => ({ why: 'broken', output: this.#output })

  #kill(why: NoAnswer): void {
    this.#child.kill('SIGKILL')
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
      const [, resident] = readFileSync(`/proc/${this.#child.pid}/statm`, 'latin1').split(' ').map(Number)
      return ((resident ?? 0) * PAGE_BYTES) / 1_048_576
    } catch {
      return 0
    }
  }
}

function lowerPriority(pid: number | undefined, nice: number): void {
  try {
    if (pid !== undefined && nice > 0) setPriority(pid, nice)
  } catch {
    // The process has already ended, or this platform does not allow it.
  }
}
