import { Thread, type Whose } from '../../../concurrency/threads/thread.ts'
import type { RunFault } from '../../../schema/run/run-fault.ts'
import { internalFault, type InternalErrorReport } from '../../extract/internal-fault.ts'
import { EXTRACT_LIMITS } from '../../extract/limits.ts'
import { readPage } from './page-facts.ts'
import type { PageRead } from './page-facts.ts'
import { pageFault } from './paging-faults.ts'
import type { ReadTask } from './read-page-of.ts'

/** Reads pages of lists without blocking the process. */
export interface PageReader {
  /**
   * Runs `readPage`. A large page is read in a thread that is terminated when it takes too long or too much memory.
   * Waiting callers take turns by key. Returns null when the signal ended the wait. Never rejects.
   */
  read(task: ReadTask, whose?: Whose): Promise<PageRead | null>
  close(): Promise<void>
}

/** Up to this size a page is read on the event loop, in under a millisecond. */
const INLINE_BYTES = 64 * 1024

interface PageReaderOptions {
  readonly timeoutMs?: number
  /** Is told of each unexpected error. */
  readonly onInternalError?: InternalErrorReport | undefined
}

/** Creates a reader. Its one thread starts when it is first needed. */
export function createPageReader(options: PageReaderOptions = {}): PageReader {
  const { timeoutMs = EXTRACT_LIMITS.pageMs, onInternalError } = options
  const thread = new Thread<ReadTask, PageRead>({
    file: new URL('read-page-of.ts', import.meta.url),
    name: 'readPageOf',
    heapMb: EXTRACT_LIMITS.heapMb,
    warmUp: NO_PAGE,
  })

  async function inThread(task: ReadTask, whose: Whose): Promise<PageRead | null> {
    try {
      const done = await thread.do(task, { ...whose, timeoutMs })
      if (done.ok) return done.result
      if (done.why !== 'timeout' && done.why !== 'memory') return null
      return { ok: false, fault: pageFault(task.number, LIMIT_FAULTS[done.why]) }
    } catch (error) {
      return { ok: false, fault: pageFault(task.number, internal(error)) }
    }
  }

  function inline({ answer, paths, number }: ReadTask): PageRead {
    try {
      return readPage(answer, paths, number)
    } catch (error) {
      return { ok: false, fault: pageFault(number, internal(error)) }
    }
  }

  function internal(error: unknown): RunFault {
    const { fault, trace } = internalFault(error)
    onInternalError?.(trace)
    return fault
  }

  return {
    async read(task, whose = { key: '' }) {
      if (task.answer.body.byteLength <= INLINE_BYTES) return inline(task)
      return inThread(task, whose)
    },
    close: () => thread.close(),
  }
}

/** It starts the thread. */
const NO_PAGE: ReadTask = {
  answer: { body: Buffer.from('[]'), contentType: null },
  paths: { items: null, total: null, hasMore: null, next: null },
  number: 1,
}

const LIMIT_FAULTS = {
  timeout: { code: 'extract_timeout', message: 'Reading the answer took too long. Ask for smaller pages.' },
  memory: { code: 'extract_memory', message: 'Reading the answer needed too much memory. Ask for smaller pages.' },
} as const
