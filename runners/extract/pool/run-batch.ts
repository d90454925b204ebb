import { readlinkSync } from 'node:fs'
import { readSearchPage } from '../../serp/read-search-page.ts'
import type { SearchConfig } from '../../serp/search-page.ts'
import { extract } from '../extract.ts'
import { internalFault } from '../internal-fault.ts'
import type { Extraction, Page } from '../page.ts'
import { monotonicMs, PROGRESS, type WorkerAnswer, type WorkerBatch } from './job.ts'

/**
 * The entry point of an extraction thread (`extractor.ts`). It has no secrets, no sockets and no environment. It is
 * killed when it takes too long.
 */
export function runBatch({ tasks, progress }: WorkerBatch): WorkerAnswer {
  progress[PROGRESS.thread] = THREAD
  return tasks.map(({ page, config }, index) => {
    const before = usedMs()
    progress[PROGRESS.usedBefore] = before
    progress[PROGRESS.since] = monotonicMs()
    progress[PROGRESS.index] = index
    const extraction = config.method === 'search' ? readSearch(page, config) : extract(page, config)
    progress[PROGRESS.used + index] = usedMs() - before
    return extraction
  })
}

function readSearch({ body, contentType }: Page, { sent }: SearchConfig): Extraction {
  try {
    return { ok: true, values: {}, warnings: [], search: readSearchPage(body, contentType, sent) }
  } catch (error) {
    return internalFault(error)
  }
}

/** The operating system's id of this thread, or -1 if the system is not Linux. */
const THREAD = threadId()

function threadId(): number {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0] ?? -1)
  } catch {
    return -1
  }
}

function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
