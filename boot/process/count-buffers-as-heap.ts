import { setFlagsFromString } from 'node:v8'
import { ownMemoryBytes } from '../../platform/own-memory.ts'

/** Below it, memory is worth more than processor time: 130 pages of 10 MB took 673 MiB in place of 459. */
const MIN_MEMORY_BYTES = 4 * 1024 ** 3

/**
 * Counts the bytes of buffers to the limit of the heap, where there is memory for it. V8 has another limit for them, 64
 * MB after each full collection, and counts all that were made since: the pages that a busy worker reads in a second.
 * Half of the processes then collected everything every 4,000 checks, and a check cost 110 µs of processor time in
 * place of 75 (bench/checks).
 */
export function countBuffersAsHeap(): void {
  if (ownMemoryBytes() >= MIN_MEMORY_BYTES) setFlagsFromString('--external-memory-accounted-in-global-limit')
}
