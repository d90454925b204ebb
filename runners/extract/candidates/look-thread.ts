import { parseMarkup } from '../on-tree.ts'
import type { Page } from '../page.ts'
import { candidatesOf } from './candidates.ts'
import { elementAt } from './element-at.ts'
import { guessesOf } from './guesses/guesses.ts'
import type { CandidatesAsked, CandidatesRead, LookAsked, OffersRead, OutlineRead } from './look-readers.ts'
import { anyOutlineOf, outlineOf } from './outline/outline.ts'

/** What a thread of the extractor runs for the readers of `look-readers.ts`. */
export function read(page: Page, asked: LookAsked): CandidatesRead | OffersRead | OutlineRead {
  switch (asked.what) {
    case 'candidates':
      return readCandidates(page, asked)
    case 'offers':
      return readOffers(page)
    case 'outline':
      return readOutline(page)
  }
}

function readOutline(page: Page): OutlineRead {
  const tree = anyOutlineOf(page)
  return tree !== null && 'ok' in tree ? { fault: tree.fault } : { tree }
}

function readOffers(page: Page): OffersRead {
  const guesses = guessesOf(page)
  const outline = outlineOf(page)
  return {
    guesses: 'ok' in guesses ? [] : guesses,
    outline: outline !== null && 'ok' in outline ? null : outline,
  }
}

function readCandidates(page: Page, { path, method, other }: CandidatesAsked): CandidatesRead {
  const parsed = parseMarkup(page)
  if (!parsed.ok) return { fault: parsed.fault }
  const element = elementAt(parsed.tree, path)
  if (element === null) return { candidates: null }
  // A document that cannot be read gives no value.
  const second = other === null ? null : parseMarkup(other)
  return { candidates: candidatesOf(parsed.tree, element, { method, other: second?.ok ? second.tree : null }) }
}
