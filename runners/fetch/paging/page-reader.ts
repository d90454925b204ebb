import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { createInTurn, type Whose } from '../../../concurrency/gates/in-turn.ts'
import { ignoreLateErrors } from '../../../concurrency/threads/ignore-late-errors.ts'
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
  const threads = ignoreLateErrors(
    new Piscina<ReadTask, PageRead>({
      filename: fileURLToPath(new URL('read-page-of.ts', import.meta.url)),
      name: 'readPageOf',
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 60_000,
      concurrentTasksPerWorker: 1,
      resourceLimits: { maxOldGenerationSizeMb: EXTRACT_LIMITS.heapMb },
      env: {},
      execArgv: [],
      recordTiming: false,
    }),
  )
  // One at a time, so that a page's time limit starts when it is read, not when it waits.
  const turns = createInTurn()

  async function inThread(task: ReadTask): Promise<PageRead> {
    const signal = AbortSignal.timeout(threads.threads.length === 0 ? timeoutMs + START_MS : timeoutMs)
    try {
      return await threads.run(task, { signal })
    } catch (error) {
      const fault = limitFault(error, signal.aborted) ?? internal(error)
      return { ok: false, fault: pageFault(task.number, fault) }
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
      return turns.do(() => inThread(task), whose)
    },
    close: () => threads.destroy(),
  }
}

/** The longest start of a thread, in milliseconds. */
const START_MS = 15_000

/** Returns the fault of a page that exceeded a limit; null: of any other error. */
function limitFault(error: unknown, isLate: boolean): RunFault | null {
  if (isLate) return { code: 'extract_timeout', message: 'Reading the answer took too long. Ask for smaller pages.' }
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return { code: 'extract_memory', message: 'Reading the answer needed too much memory. Ask for smaller pages.' }
  return null
}
