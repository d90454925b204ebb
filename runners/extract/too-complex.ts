import { EXTRACT_LIMITS } from './limits.ts'

/** A page that exceeds a limit of parsing; `excess` is a sentence that says which. */
export interface TooComplex {
  readonly kind: 'too_complex'
  readonly excess: string
}

const formatted = (count: number): string => count.toLocaleString('en')

/** The sentences for pages over `EXTRACT_LIMITS`. */
export const TOO_MUCH = {
  depth: `The page nests elements more than ${formatted(EXTRACT_LIMITS.depth)} deep.`,
  tags: `The page has more than ${formatted(EXTRACT_LIMITS.tags)} elements.`,
  attributes: `An element of the page has more than ${formatted(EXTRACT_LIMITS.attributesPerTag)} attributes.`,
} as const
