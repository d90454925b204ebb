import { parseMarkup } from '../on-tree.ts'
import type { Page } from '../page.ts'
import { candidatesOf } from './candidates.ts'
import { elementAt } from './element-at.ts'
import { guessesOf } from './guesses/guesses.ts'
import type { CandidatesAsked, CandidatesRead, GuessesRead, LookAsked, OutlineRead } from './look-readers.ts'
import { outlineOf } from './outline/outline.ts'

/** What a thread of the extractor runs for the readers of `look-readers.ts`. */
export function read(page: Page, asked: LookAsked): CandidatesRead | GuessesRead | OutlineRead {
  if (asked.what === 'candidates') return readCandidates(page, asked)
  if (asked.what === 'guesses') {
    const guesses = guessesOf(page)
    return 'ok' in guesses ? { fault: guesses.fault } : { guesses }
  }
  const outline = outlineOf(page)
  return outline !== null && 'ok' in outline ? { fault: outline.fault } : { outline }
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
