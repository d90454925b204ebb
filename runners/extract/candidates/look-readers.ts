import type { RunFault } from '../../../schema/run/run-fault.ts'
import type { Page } from '../page.ts'
import type { ThreadReader } from '../pool/thread-reader.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'
import type { ElementCandidates } from './candidate.ts'
import type { Guess } from './guesses/guess.ts'
import type { Method } from './idea.ts'
import type { Outline } from './outline/outline-node.ts'

export interface CandidatesAsked {
  readonly what: 'candidates'
  /** Indexes of element children, from the root element of the document. */
  readonly path: readonly number[]
  /** The language of all rules; null: the one that fits each. */
  readonly method: Method | null
  /** The other document of the look; null: it has one. */
  readonly other: Page | null
}

export type LookAsked = CandidatesAsked | { readonly what: 'guesses' } | { readonly what: 'outline' }

interface NotRead {
  /** Why the page was not read. */
  readonly fault: RunFault
}

/** Null: the document has no element at this path. */
export type CandidatesRead = NotRead | { readonly candidates: ElementCandidates | null }
export type GuessesRead = NotRead | { readonly guesses: readonly Guess[] }
/** Null: the document has a picture to point at, or is a text. */
export type OutlineRead = NotRead | { readonly outline: Outline | null }

/** Returns what finds rules for an element of a page, in a thread of the extractor. */
export const candidatesReader = (asked: Omit<CandidatesAsked, 'what'>): ThreadReader<CandidatesRead> => ({
  ...THREAD,
  asked: { what: 'candidates', ...asked } satisfies LookAsked,
  isRead: (value): value is CandidatesRead => has(value, 'candidates'),
})

/** Returns what finds out what may be watched of a page. */
export const guessesReader = (): ThreadReader<GuessesRead> => ({
  ...THREAD,
  asked: { what: 'guesses' } satisfies LookAsked,
  isRead: (value): value is GuessesRead => has(value, 'guesses'),
})

/** Returns what reads a document of JSON or XML as a tree. */
export const outlineReader = (): ThreadReader<OutlineRead> => ({
  ...THREAD,
  asked: { what: 'outline' } satisfies LookAsked,
  isRead: (value): value is OutlineRead => has(value, 'outline'),
})

const THREAD = { module: new URL('look-thread.ts', import.meta.url).href, timeoutMs: CANDIDATE_LIMITS.readMs }

const has = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && (key in value || 'fault' in value)
