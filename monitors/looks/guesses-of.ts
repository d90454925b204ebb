import type { KeptDocument } from '../../runners/check/look-documents.ts'
import { offersReader } from '../../runners/extract/candidates/look-readers.ts'
import type { Outline } from '../../runners/extract/candidates/outline/outline-node.ts'
import { isDocument } from '../../runners/extract/documents/document-kind.ts'
import type { Page } from '../../runners/extract/page.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { LookGuess, LookOutline } from '../../schema/monitor/look-guesses.ts'

interface Found {
  readonly guesses: LookGuess[]
  readonly outline: LookOutline | null
}

/** Returns what may be watched of a document. A look is whole without it, so one that cannot be read has no guesses. */
export async function guessesOf(extractor: Extractor, document: KeptDocument | null): Promise<Found> {
  if (document === null) return { guesses: [], outline: null }
  const file = isDocument(document) ? await extractor.open(copyOf(document), 'json') : null
  if (file?.ok) return ofFile(extractor, file.page)
  const offered = await extractor.read(offersReader(), copyOf(document))
  const { guesses, outline } = offered.ok ? offered.read : { guesses: [], outline: null }
  return {
    guesses: guesses.map(({ kind, label, address, extract_config, diff_predicate }) => ({
      kind,
      label: label.slice(0, MAX_LABEL),
      url: address,
      extract_config,
      diff_predicate,
    })),
    outline: outline && outlineOf(outline),
  }
}

/** Returns the tree of a file that was opened as JSON, and its whole text. */
async function ofFile(extractor: Extractor, opened: Page): Promise<Found> {
  const offered = await extractor.read(offersReader(), opened)
  const outline = offered.ok ? offered.read.outline : null
  return { guesses: [WHOLE_FILE], outline: outline && { ...outlineOf(outline), read_as: 'document' } }
}

const WHOLE_FILE: LookGuess = {
  kind: 'page',
  label: 'the text of the file',
  url: null,
  extract_config: { method: 'full_page', read_as: 'document' },
  diff_predicate: { type: 'any_field_changes' },
}

/** The document is kept afterwards, and a large body may be moved to a thread that reads slow pages. */
const copyOf = (document: KeptDocument): KeptDocument => ({ ...document, body: new Uint8Array(document.body) })

const MAX_LABEL = 500

const outlineOf = ({ method, nodes, isCut }: Outline): LookOutline => ({ method, nodes: [...nodes], is_cut: isCut })
