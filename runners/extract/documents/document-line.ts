import { Slots } from '../../../concurrency/gates/slots.ts'
import type { Page } from '../page.ts'
import { type Answer, DocumentProcess, type NoAnswer as OfProcess } from './child/document-process.ts'
import { DOCUMENT_LIMITS } from './document-limits.ts'
import type { DocumentForm } from './opened-document.ts'

type AskedProcess = Pick<DocumentProcess, 'ask' | 'close' | 'hasRead' | 'isOver'>

/** Starts a process with a niceness. It may throw, as where memory is short. */
export type StartProcess = (nice: number) => AskedProcess

interface LineOptions {
  readonly nice: number
  readonly idleMs: number
  /** The resident memory that its process may take. */
  readonly residentMb: number
  readonly start?: StartProcess | undefined
}

interface Asked {
  readonly form: DocumentForm
  /** The team, or nothing: teams take turns. */
  readonly team: string
  readonly signal: AbortSignal
  readonly ms: number
}

/** `wait`: its turn did not come in time. */
export type NoAnswer = OfProcess | { readonly why: 'wait' }

type LineAnswer = Answer | { readonly ok: false; readonly why: 'wait'; readonly readMs: 0 }

const STOPPED = { ok: false, why: 'stopped', readMs: 0 } as const

/** Files that wait for one process, and the process. */
export class DocumentLine {
  readonly #options: LineOptions
  readonly #turns = new Slots({ total: 1 })
  readonly #closing = new AbortController()
  readonly #start: StartProcess
  #process: AskedProcess | null = null
  #idle: NodeJS.Timeout | undefined

  constructor(options: LineOptions) {
    this.#options = options
    this.#start = options.start ?? ((nice) => new DocumentProcess(nice, options.residentMb))
  }

  /** Never rejects. */
  async ask(page: Page, asked: Asked): Promise<LineAnswer> {
    const signal = AbortSignal.any([asked.signal, this.#closing.signal])
    const leave = await this.#turns.take(asked.team, { signal, waitMs: DOCUMENT_LIMITS.waitMs })
    if (typeof leave === 'string') return leave === 'left' ? STOPPED : { ok: false, why: 'wait', readMs: 0 }
    clearTimeout(this.#idle)
    try {
      return signal.aborted ? STOPPED : await this.#read(page, asked)
    } catch (error) {
      // It could not be started.
      const trace = error instanceof Error ? String(error.stack) : 'a process could not be started'
      return { ok: false, why: 'broken', trace, readMs: 0 }
    } finally {
      this.#rest()
      leave()
    }
  }

  /**
   * What a file left behind in the process may cause the fault of the next one, so that one is read once more, in the
   * time that is left.
   */
  async #read(page: Page, asked: Asked): Promise<Answer> {
    const process = this.#ready()
    const { hasRead } = process
    const answer = await this.#askOf(process, page, asked)
    if (answer.ok || !hasRead || (answer.why !== 'memory' && answer.why !== 'broken')) return answer
    return this.#askOf(this.#ready(), page, { ...asked, ms: asked.ms - answer.readMs })
  }

  #askOf(process: AskedProcess, { body, contentType, url }: Page, { form, ms, signal }: Asked): Promise<Answer> {
    return process.ask({ form, contentType, url }, body, { ms, signal })
  }

  #ready(): AskedProcess {
    if (this.#process === null || this.#process.isOver) this.#process = this.#start(this.#options.nice)
    return this.#process
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMs)
    this.#idle.unref()
  }

  #end(): void {
    this.#process?.close()
    this.#process = null
  }

  /** What is being read is read, what waits is stopped. */
  async close(): Promise<void> {
    this.#closing.abort()
    const leave = await this.#turns.take('')
    clearTimeout(this.#idle)
    this.#end()
    if (typeof leave !== 'string') leave()
  }
}
