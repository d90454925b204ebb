import sharp from 'sharp'
import { compare, type Compared, type Pair } from './compare.ts'

// One picture after the other: what is decoded is large, and nothing comes twice.
sharp.cache(false)
sharp.concurrency(1)

/** The entry of a comparing thread (comparer.ts). */
export function comparePair(pair: Pair): Promise<Compared> {
  return compare(pair)
}
