import { availableParallelism } from 'node:os'
import { Slots } from '../concurrency/gates/slots.ts'
import { ownMemoryBytes } from '../platform/own-memory.ts'
import { DOCUMENT_LIMITS } from './extract/documents/document-limits.ts'
import { EXTRACT_LIMITS } from './extract/limits.ts'

/** What a process may hold at once without coming near the end of its memory. */
interface Capacity {
  /** Threads that extract, without the one for slow pages and the one for trials. */
  readonly extractThreads: number
  /** Bodies over `LARGE_BODY_BYTES`. */
  readonly largeBodies: number
  readonly documents: DocumentRoom
}

/** The processes that open documents. */
export interface DocumentRoom {
  /** Two: the second one opens the files that take long. */
  readonly processes: 1 | 2
  /** The resident memory that each may take, in MB. */
  readonly residentMb: number
}

interface Machine {
  readonly cores: number
  /** Of the container, or of the machine. */
  readonly memoryMb: number
}

/** The process itself, its connections, and the small bodies of all its slots. */
const PROCESS_MB = 256
/** The largest heap of a thread, old and young. The worst pages of the tests fill it. */
const THREAD_MB = EXTRACT_LIMITS.heapMb + 64
/** A body of the largest size while it is joined and decoded, with what is not collected yet. */
const BODY_MB = 32
/** Large bodies take an eighth of the memory. */
const BODIES_PART = 8
const FEWEST_BODIES = 4
const MOST_BODIES = 64
/** Besides the threads that are counted. */
const OTHER_THREADS = 2

/** Documents take half of what is left beside the process. A small PDF needs 130 MB, and 60,000 rows need 210. */
const DOCUMENTS_PART = 2
const LEAST_DOCUMENT_MB = 192

/** Returns what fits into the memory: at most one thread less than the cores. */
export function capacityOf({ cores, memoryMb }: Machine): Capacity {
  const bodies = Math.floor(memoryMb / BODIES_PART / BODY_MB)
  const largeBodies = Math.min(MOST_BODIES, Math.max(FEWEST_BODIES, bodies))
  const threads = Math.floor((memoryMb - PROCESS_MB - largeBodies * BODY_MB) / THREAD_MB) - OTHER_THREADS
  return { extractThreads: Math.max(1, Math.min(cores - 1, threads)), largeBodies, documents: documentsOf(memoryMb) }
}

/** There is a second process where each has all that a file may take. One never has less with more memory. */
function documentsOf(memoryMb: number): DocumentRoom {
  const all = Math.floor((memoryMb - PROCESS_MB) / DOCUMENTS_PART)
  const processes = all >= 2 * DOCUMENT_LIMITS.residentMb ? 2 : 1
  const part = Math.max(LEAST_DOCUMENT_MB, Math.floor(all / processes))
  return { processes, residentMb: Math.min(DOCUMENT_LIMITS.residentMb, part) }
}

/** Returns the capacity of this process. */
export function ownCapacity(): Capacity {
  return capacityOf({ cores: availableParallelism(), memoryMb: ownMemoryBytes() / 1024 / 1024 })
}

/** Returns the slots of so many large bodies. A team has half of them at most. */
export const bodySlots = (count: number): Slots => new Slots({ total: count, perTeam: Math.ceil(count / 2) })
