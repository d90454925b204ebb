import { readlinkSync } from 'node:fs'
import { GrownText } from '../clean/grown-text.ts'
import { extract } from '../extract.ts'
import { internalFault } from '../internal-fault.ts'
import { type Extraction, failed, type Page } from '../page.ts'
import { isShell, SHELL } from '../shell/is-shell.ts'
import { loadFor } from '../structured-data/load.ts'
import { monotonicMs, PROGRESS, type WorkerAnswer, type WorkerBatch } from './job.ts'
import type { ReaderConfig, ThreadModule } from './thread-reader.ts'

/**
 * The entry point of an extraction thread (`extractor.ts`). It has no secrets, no sockets and no environment. It is
 * killed when it takes too long.
 */
export async function runBatch({ tasks, progress }: WorkerBatch): Promise<WorkerAnswer> {
  progress[PROGRESS.thread] = THREAD
  // Before the first task begins, so that loading a reader takes none of the time of its page.
  for (const { config } of tasks) {
    if (config.method === 'reader') await readerOf(config.module)
    else await loadFor(config)
  }
  return tasks.map((task, index) => {
    const before = usedMs()
    progress[PROGRESS.usedBefore] = before
    progress[PROGRESS.since] = monotonicMs()
    progress[PROGRESS.index] = index
    const extraction = answerTo(task)
    progress[PROGRESS.used + index] = usedMs() - before
    return extraction
  })
}

function answerTo({ page, config, unlessShell }: WorkerBatch['tasks'][number]): Extraction {
  if (unlessShell && isShell(page.body)) return SHELL
  return config.method === 'reader' ? readBy(config, page) : extract(page, config)
}

/** The readers that this thread has loaded, by the URL of their module. */
const loaded = new Map<string, ThreadModule>()

async function readerOf(module: string): Promise<void> {
  if (loaded.has(module)) return
  const reader: unknown = await import(module)
  if (!isReader(reader)) throw new TypeError(`${module} has no function read`)
  loaded.set(module, reader)
}

const isReader = (value: unknown): value is ThreadModule =>
  typeof value === 'object' && value !== null && 'read' in value && typeof value.read === 'function'

function readBy({ module, asked }: ReaderConfig, page: Page): Extraction {
  try {
    return { ok: true, values: {}, warnings: [], read: loaded.get(module)?.read(page, asked) }
  } catch (error) {
    return error instanceof GrownText ? failed('too_complex', error.message) : internalFault(error)
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
