import { parsingMs } from './parsing-ms.ts'
import { processorMs } from './processor-ms.ts'

/** Work may cost this many times what `JSON.parse` of its input costs, and what a clock of the system can tell. */
export const MAX_TIMES = 30
export const UNMEASURED_MS = 25

/** Others on the machine take caches and turns away: one of so many measurements has to be cheap enough. */
const TRIES = 8

/** Returns why the work is too dear for what it reads, in processor time of this thread; null where it is not. */
export function dearness(work: () => void, read: string, times = MAX_TIMES): string | null {
  let why: string | null = null
  for (let tries = 0; tries < TRIES; tries++) {
    const ms = processorMs(work)
    if (ms <= UNMEASURED_MS) return null
    // Measured at the same time, so that both are as slow as the machine is now.
    const mayCost = UNMEASURED_MS + times * parsingMs(read)
    if (ms <= mayCost) return null
    why = `it costs ${ms} ms, and may cost ${mayCost} ms`
  }
  return why
}
