import { createSpeeds } from '../../../concurrency/gates/speed.ts'
import { internalFault } from '../internal-fault.ts'
import { type Failed, failed, type Page } from '../page.ts'
import { DocumentProcess, type NoAnswer } from './child/document-process.ts'
import type { Frame } from './child/frames.ts'
import { DOCUMENT_LIMITS } from './document-limits.ts'
import type { DocumentForm } from './opened-document.ts'

/** What a file was read as: HTML or JSON, which the rules read as if it had been sent so. */
export interface OpenedPage {
  readonly ok: true
  readonly page: Page
  readonly warnings: readonly string[]
}

interface OpenCall {
  readonly signal?: AbortSignal | undefined
  /** By it the opener remembers which files took long. */
  readonly key?: number | null
}

/** Opens files in processes that are started when they are needed. */
export interface DocumentOpener {
  /** Never rejects. */
  open(page: Page, form: DocumentForm, call?: OpenCall): Promise<OpenedPage | Failed>
  close(): Promise<void>
}

/** Milliseconds in place of those of `DOCUMENT_LIMITS`. */
interface OpenerOptions {
  readonly quickMs?: number
  readonly readMs?: number
  readonly idleMs?: number
}

/** After one file that took long, so many quick ones make a monitor quick again. */
const SPEEDS = { slowMs: DOCUMENT_LIMITS.quickMs, toMakeGood: 5, onlySlow: true }
const SLOW_NICENESS = 10

/**
 * Creates an opener. Files are read one after the other. A file that takes longer than two seconds is read again in a
 * process of lower priority, where it holds up slow ones alone; so are the next ones of its monitor.
 */
export function createDocumentOpener({
  quickMs = DOCUMENT_LIMITS.quickMs,
  readMs = DOCUMENT_LIMITS.readMs,
  idleMs = DOCUMENT_LIMITS.idleMs,
}: OpenerOptions = {}): DocumentOpener {
  const quick = new DocumentLine(0, idleMs)
  const slow = new DocumentLine(SLOW_NICENESS, idleMs)
  const speeds = createSpeeds<number>(SPEEDS)
  return {
    async open(page, form, { signal = NEVER, key = null } = {}) {
      if (page.body.byteLength > DOCUMENT_LIMITS.bytes) return tooComplex('has more than 10 MB')
      const isSlow = key !== null && speeds.of(key) === 'slow'
      const began = performance.now()
      let answer = isSlow ? null : await quick.ask(page, form, { signal, ms: quickMs })
      if (answer === null || (!answer.ok && answer.why === 'time'))
        answer = await slow.ask(page, form, { signal, ms: readMs })
      if (key !== null) speeds.took(key, performance.now() - began)
      return answer.ok ? openedPage(answer.frame, form, page) : faultOf(answer)
    },
    async close() {
      await Promise.all([quick.close(), slow.close()])
    },
  }
}

const NEVER = new AbortController().signal

type Asked = { readonly signal: AbortSignal; readonly ms: number }
type LineAnswer = { readonly ok: true; readonly frame: Frame } | ({ readonly ok: false } & (NoAnswer | { why: 'wait' }))

/** Files that wait for one process, and the process. */
class DocumentLine {
  readonly #nice: number
  readonly #idleMs: number
  #process: DocumentProcess | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(nice: number, idleMs: number) {
    this.#nice = nice
    this.#idleMs = idleMs
  }

  ask(page: Page, form: DocumentForm, { signal, ms }: Asked): Promise<LineAnswer> {
    const since = performance.now()
    const answer = this.#turn.then((): LineAnswer | Promise<LineAnswer> => {
      if (signal.aborted || this.#isClosed) return { ok: false, why: 'stopped' }
      if (performance.now() - since > DOCUMENT_LIMITS.waitMs) return { ok: false, why: 'wait' }
      clearTimeout(this.#idle)
      if (this.#process === null || this.#process.isOver) this.#process = new DocumentProcess(this.#nice)
      const { contentType, url } = page
      return this.#process.ask({ form, contentType, url }, page.body, { ms, signal })
    })
    this.#turn = answer.then(() => this.#rest())
    return answer
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), this.#idleMs)
    this.#idle.unref()
  }

  #end(): void {
    this.#process?.close()
    this.#process = null
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#turn
    clearTimeout(this.#idle)
    this.#end()
  }
}

const TYPES = { tree: 'text/html; charset=utf-8', json: 'application/json' } as const

/** The process read a hostile file, so its answer is looked at as one of a stranger. */
function openedPage({ head, body }: Frame, form: DocumentForm, { url }: Page): OpenedPage | Failed {
  if (typeof head !== 'object' || head === null || !('ok' in head)) return internalFault(new TypeError(WRONG))
  if (head.ok === true) {
    const warnings = 'warnings' in head && Array.isArray(head.warnings) ? head.warnings.map(String) : []
    return { ok: true, page: { body: new Uint8Array(body), contentType: TYPES[form], url }, warnings }
  }
  if (!('code' in head && 'message' in head)) return internalFault(new TypeError(WRONG))
  const code = head.code === 'too_complex' ? head.code : 'unreadable_document'
  return failed(code, String(head.message))
}

const WRONG = 'the process that opens files gave no answer'

const tooComplex = (what: string) => failed('too_complex', `The file ${what}. Watch a smaller file.`)

function faultOf(answer: NoAnswer | { readonly why: 'wait' }): Failed {
  switch (answer.why) {
    case 'time':
      return tooComplex('takes longer than 10 seconds to be read')
    case 'memory':
      return tooComplex(`takes more than ${DOCUMENT_LIMITS.residentMb} MB of memory to be read`)
    case 'wait':
      return failed('extract_timeout', 'The turn of this file among others did not come within 30 seconds.')
    case 'stopped':
      return failed('timeout', 'The check was stopped before its file was read.')
    case 'broken':
      return internalFault(Object.assign(new Error(WRONG), { stack: `Error: ${WRONG}\n${answer.output}` }))
  }
}
