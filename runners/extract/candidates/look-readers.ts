import type { RunFault } from '../../../schema/run/run-fault.ts'
import type { Page } from '../page.ts'
import type { ThreadReader } from '../pool/thread-reader.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'
import type { ElementCandidates } from './candidate.ts'
import type { Guess } from './guesses/guess.ts'
import type { Method } from './idea.ts'
import type { Outline } from './outline/outline-node.ts'
import type { ReadOutline } from './outline/outline.ts'

export interface CandidatesAsked {
  readonly what: 'candidates'
  /** Indexes of element children, from the root element of the document. */
  readonly path: readonly number[]
  /** The language of all rules; null: the one that fits each. */
  readonly method: Method | null
  /** The other document of the look; null: it has one. */
  readonly other: Page | null
}

export type LookAsked = CandidatesAsked | { readonly what: 'offers' | 'outline' }

/** The rules for an element, or why the page was not read. Null: the document has no element at this path. */
export type CandidatesRead = { readonly fault: RunFault } | { readonly candidates: ElementCandidates | null }

/** What may be watched of a page. */
export interface OffersRead {
  /** None: the answer cannot be read. */
  readonly guesses: readonly Guess[]
  /** Null: the document has a picture to point at, is a text, or cannot be read. */
  readonly outline: Outline | null
}

/** Returns what finds rules for an element of a page, in a thread of the extractor. */
export const candidatesReader = (asked: Omit<CandidatesAsked, 'what'>): ThreadReader<CandidatesRead> => ({
  ...THREAD,
  asked: { what: 'candidates', ...asked } satisfies LookAsked,
  isRead: (value): value is CandidatesRead => has(value, 'candidates') || has(value, 'fault'),
})

/** Returns what finds out what may be watched of a page, and reads a document of JSON or XML as a tree. */
export const offersReader = (): ThreadReader<OffersRead> => ({
  ...THREAD,
  asked: { what: 'offers' } satisfies LookAsked,
  isRead: (value): value is OffersRead => has(value, 'guesses') && has(value, 'outline'),
})

/** The paths of a document, or why it was not read. Null: it has none. */
export type OutlineRead = { readonly fault: RunFault } | { readonly tree: ReadOutline | null }

/** Returns what reads a document as a tree with the paths of its parts, in a thread of the extractor. */
export const outlineReader = (): ThreadReader<OutlineRead> => ({
  ...THREAD,
  asked: { what: 'outline' } satisfies LookAsked,
  isRead: (value): value is OutlineRead => has(value, 'tree') || has(value, 'fault'),
})

const THREAD = { module: new URL('look-thread.ts', import.meta.url).href, timeoutMs: CANDIDATE_LIMITS.readMs }

const has = (value: unknown, key: string): boolean => typeof value === 'object' && value !== null && key in value
