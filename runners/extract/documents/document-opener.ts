import { Slots } from '../../../concurrency/gates/slots.ts'
import { createSpeeds } from '../../../concurrency/gates/speed.ts'
import { type DocumentRoom, ownCapacity } from '../../capacity.ts'
import { isBlank, noBody } from '../blank-body.ts'
import { internalFault } from '../internal-fault.ts'
import { type Failed, failed, type Page } from '../page.ts'
import type { Frame } from './child/frames.ts'
import { DOCUMENT_LIMITS } from './document-limits.ts'
import { DocumentLine, type NoAnswer, type StartProcess } from './document-line.ts'
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
  /** Teams take turns. */
  readonly team?: string | undefined
  /** Its pages hold up others, so its files are read where slow ones are. */
  readonly isSlow?: boolean
}

/** Opens files in processes that are started when they are needed. */
export interface DocumentOpener {
  /**
   * Opens a file and passes it on. Few pages are open at once, because one may have 32 MB: the next ones wait until
   * `use` has settled. Rejects with what `use` throws.
   */
  open<Used>(
    page: Page,
    asked: OpenCall & { readonly form: DocumentForm },
    use: (opened: OpenedPage) => Used | Promise<Used>,
  ): Promise<Used | Failed>
  close(): Promise<void>
}

/** Milliseconds in place of those of `DOCUMENT_LIMITS`, and what is started. */
interface OpenerOptions {
  readonly quickMs?: number
  readonly readMs?: number
  readonly idleMs?: number
  /** Default: what the memory of this process leaves to documents. */
  readonly room?: DocumentRoom
  readonly start?: StartProcess
}

/** After one file that took long, so many quick ones make a monitor quick again. */
const SPEEDS = { slowMs: DOCUMENT_LIMITS.quickMs, toMakeGood: 5, onlySlow: true }
const SLOW_NICENESS = 10

/**
 * Creates an opener. Files are read one after the other, and teams take turns. A file that takes longer than two
 * seconds is read again in a process of lower priority, where it holds up slow ones alone; so are the next ones of
 * its monitor.
 */
export function createDocumentOpener({
  quickMs = DOCUMENT_LIMITS.quickMs,
  readMs = DOCUMENT_LIMITS.readMs,
  idleMs = DOCUMENT_LIMITS.idleMs,
  room: { processes, residentMb } = ownCapacity().documents,
  start,
}: OpenerOptions = {}): DocumentOpener {
  const quick = {
    ms: quickMs,
    line: new DocumentLine({ nice: 0, idleMs, residentMb, start }),
    room: new Slots(OPEN_PAGES),
  }
  const ofSlow = {
    line: new DocumentLine({ nice: SLOW_NICENESS, idleMs, residentMb, start }),
    room: new Slots(OPEN_PAGES),
  }
  // One process for both has a longer time for a file that took too long.
  const slow = { ...(processes === 2 ? ofSlow : quick), ms: readMs }
  const speeds = createSpeeds<number>(SPEEDS)

  async function openIn<Used>(
    { ms, line, room }: typeof quick,
    { page, form, signal = NEVER, key = null, team = '' }: OpenCall & { page: Page; form: DocumentForm },
    use: (opened: OpenedPage) => Used | Promise<Used>,
  ): Promise<Used | Failed | typeof SLOW> {
    const leave = await room.take(team, { signal, waitMs: DOCUMENT_LIMITS.waitMs })
    if (typeof leave === 'string') return faultOf({ why: leave === 'left' ? 'stopped' : 'wait' }, residentMb)
    try {
      const answer = await line.ask(page, { form, team, signal, ms })
      const isEnd = answer.ok || answer.why === 'time' || answer.why === 'memory'
      if (key !== null && isEnd) speeds.took(key, answer.readMs)
      if (!answer.ok) return answer.why === 'time' && line === quick.line ? SLOW : faultOf(answer, residentMb)
      const opened = openedPage(answer.frame, form, page)
      return opened.ok ? await use(opened) : opened
    } finally {
      leave()
    }
  }

  return {
    async open(page, { isSlow = false, ...call }, use) {
      if (page.body.byteLength > DOCUMENT_LIMITS.bytes) return tooComplex('has more than 10 MB')
      if (isBlank(page.body)) return noBody()
      const { key = null } = call
      const isKnownSlow = isSlow || (key !== null && speeds.of(key) === 'slow')
      const asked = { page, ...call }
      const used = isKnownSlow ? SLOW : await openIn(quick, asked, use)
      if (used !== SLOW) return used
      const again = await openIn(slow, asked, use)
      return again === SLOW ? tooComplex(TOO_LONG) : again
    },
    async close() {
      await Promise.all([quick.line.close(), slow.line.close()])
    },
  }
}

const NEVER = new AbortController().signal
/** The file is to be read among slow ones. */
const SLOW = Symbol('slow')
/** Pages of one line that are opened and not read yet. */
const OPEN_PAGES = { total: 4, perTeam: 2 }

const TYPES = { tree: 'text/html; charset=utf-8', json: 'application/json' } as const

/** The process read a hostile file, so its answer is looked at as one of a stranger. */
function openedPage({ head, body }: Frame, form: DocumentForm, { url }: Page): OpenedPage | Failed {
  if (typeof head !== 'object' || head === null || !('ok' in head)) return internalFault(new TypeError(WRONG))
  if (head.ok === true) {
    const warnings = 'warnings' in head && Array.isArray(head.warnings) ? head.warnings.map(String) : []
    return { ok: true, page: { body, contentType: TYPES[form], url, isOpened: true }, warnings }
  }
  if (!('code' in head && 'message' in head)) return internalFault(new TypeError(WRONG))
  const code = head.code === 'too_complex' ? head.code : 'unreadable_document'
  return failed(code, String(head.message))
}

const WRONG = 'the process that opens files gave no answer'

const TOO_LONG = 'takes longer than 10 seconds to be read'

const tooComplex = (what: string) => failed('too_complex', `The file ${what}. Watch a smaller file.`)

function faultOf(answer: NoAnswer, residentMb: number): Failed {
  switch (answer.why) {
    case 'time':
      return tooComplex(TOO_LONG)
    case 'memory':
      return tooComplex(`takes more than ${residentMb} MB of memory to be read`)
    case 'wait':
      return failed('extract_timeout', 'The turn of this file among others did not come within 30 seconds.')
    case 'start':
      return failed(
        'extract_timeout',
        'The process that opens files did not start in time, because this machine is busy.',
      )
    case 'stopped':
      return failed('timeout', 'The check was stopped before its file was read.')
    case 'broken':
      return internalFault(Object.assign(new Error(WRONG), { stack: `Error: ${WRONG}\n${answer.trace}` }))
  }
}
