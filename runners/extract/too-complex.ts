import { EXTRACT_LIMITS } from './limits.ts'

/** A page that is more than we take apart; `excess` says in what, as a sentence. */
export interface TooComplex {
  readonly kind: 'too_complex'
  readonly excess: string
}

const written = (count: number): string => count.toLocaleString('en')

/** The sentences for pages over `EXTRACT_LIMITS`. */
export const TOO_MUCH = {
  depth: `The page nests elements more than ${written(EXTRACT_LIMITS.depth)} deep.`,
  tags: `The page has more than ${written(EXTRACT_LIMITS.tags)} elements.`,
  attributes: `An element of the page has more than ${written(EXTRACT_LIMITS.attributesPerTag)} attributes.`,
} as const
