import { totalmem } from 'node:os'

/** Returns the bytes of memory that this process may use: those of its container, or of the machine. */
export const ownMemoryBytes = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem())
