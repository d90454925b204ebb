import { parsingMs } from './parsing-ms.ts'
import { processorMs } from './processor-ms.ts'

/** Work may cost this many times what `JSON.parse` of its input costs, and what a clock of the system can tell. */
export const MAX_TIMES = 30
export const UNMEASURED_MS = 25

/** Others on the machine take caches away: of so many measurements the least counts. */
const TRIES = 3

/** Returns why the work is too dear for what it reads, in processor time of this thread; null where it is not. */
export function dearness(work: () => void, read: string, times = MAX_TIMES): string | null {
  let ms = Infinity
  for (let tries = 0; tries < TRIES && ms > UNMEASURED_MS; tries++) ms = Math.min(ms, processorMs(work))
  if (ms <= UNMEASURED_MS) return null
  const mayCost = UNMEASURED_MS + times * parsingMs(read)
  return ms <= mayCost ? null : `it costs ${ms} ms, and may cost ${mayCost} ms`
}
