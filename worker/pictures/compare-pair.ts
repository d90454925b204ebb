import sharp from 'sharp'
import { compare, type Compared, type Pair } from './compare.ts'

// Compares one pair of pictures at a time. Decoded pictures are large, and this avoids having two pairs in memory.
sharp.cache(false)
sharp.concurrency(1)

/** The entry point of a comparison thread (comparer.ts). */
export function comparePair(pair: Pair): Promise<Compared> {
  return compare(pair)
}
