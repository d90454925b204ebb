import type { ExtractConfig } from '../../../../schema/monitor/extract-config.ts'
import { extract } from '../../extract.ts'
import { keepTree, parseMarkup } from '../../on-tree.ts'
import type { Failed, Page } from '../../page.ts'
import { isBinaryType, isJsonType, mediaType } from '../../text/page-kind.ts'
import type { Tree } from '../../tree.ts'
import { CANDIDATE_LIMITS } from '../bounds.ts'
import { documentOf } from '../json-document.ts'
import { documentGuesses, feedLinkGuesses } from './feed-guesses.ts'
import { type Guess, type Ranked, RANKS } from './guess.ts'
import { jsonGuesses } from './json-guesses.ts'
import { listGuesses } from './list-guesses.ts'
import { priceGuesses } from './price-guesses.ts'
import { versionGuess } from './version-guess.ts'

/**
 * Returns what somebody may want to watch of a page, the likeliest first, with the values that a run stores. The whole
 * page comes last. A page without a guess is one whose answer cannot be read at all: then the fault says why.
 */
export function guessesOf(page: Page): readonly Guess[] | Failed {
  const found = foundIn(page)
  const whole = wholePage(page)
  const ranked = whole.ok ? [...found, whole.ranked] : found
  if (ranked.length === 0) return whole.ok ? [] : whole
  const sorted = ranked.toSorted((one, other) => other.rank - one.rank).map(({ guess }) => guess)
  return [...sorted.slice(0, -1).slice(0, CANDIDATE_LIMITS.guesses - 1), ...sorted.slice(-1)]
}

function foundIn(page: Page): Ranked[] {
  const type = mediaType(page.contentType)
  if (isBinaryType(type)) return []
  const json = documentOf(page)
  if (json !== null) return json.ok ? jsonGuesses(page, json.document) : []
  if (isJsonType(type) || isPlain(type)) return []
  keepTree(page)
  const parsed = parseMarkup(page)
  return parsed.ok ? inTree(parsed.tree, page.url) : []
}

const isPlain = (type: string) => type.startsWith('text/') && !/^text\/(?:html|xml)$/.test(type)

function inTree(tree: Tree, address: string): Ranked[] {
  if (tree.kind === 'xml') return documentGuesses(tree)
  return [...priceGuesses(tree), ...versionGuess(tree), ...listGuesses(tree), ...feedLinkGuesses(tree, address)]
}

/** Reads the whole page by its text, or by its bytes where it has no text. */
function wholePage(page: Page): { readonly ok: true; readonly ranked: Ranked } | Failed {
  const byText: ExtractConfig = { method: 'full_page', ignore: {} }
  const text = isBinaryType(mediaType(page.contentType)) ? null : extract(page, byText)
  const config: ExtractConfig = text?.ok ? byText : { method: 'full_page' }
  const extraction = text?.ok ? text : extract(page, config)
  if (!extraction.ok) return extraction
  const guess: Guess = {
    kind: 'page',
    label: text?.ok ? 'the text of the whole page' : 'the whole answer',
    extract_config: config,
    values: extraction.values,
    diff_predicate: { type: 'any_field_changes' },
    address: null,
  }
  return { ok: true, ranked: { guess, rank: RANKS.page } }
}
