import type { KeptDocument } from '../../runners/check/look-documents.ts'
import { guessesReader, outlineReader } from '../../runners/extract/candidates/look-readers.ts'
import type { Outline } from '../../runners/extract/candidates/outline/outline-node.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { LookGuess, LookOutline } from '../../schema/monitor/look-guesses.ts'

interface Found {
  readonly guesses: LookGuess[]
  readonly outline: LookOutline | null
}

/** Returns what may be watched of a document. A look is whole without it, so one that cannot be read has no guesses. */
export async function guessesOf(extractor: Extractor, document: KeptDocument | null): Promise<Found> {
  if (document === null) return { guesses: [], outline: null }
  const [guessed, outlined] = await Promise.all([
    extractor.read(guessesReader(), document),
    extractor.read(outlineReader(), document),
  ])
  const guesses = 'read' in guessed && 'guesses' in guessed.read ? guessed.read.guesses : []
  const outline = 'read' in outlined && 'outline' in outlined.read ? outlined.read.outline : null
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

const MAX_LABEL = 500

const outlineOf = ({ method, nodes, isCut }: Outline): LookOutline => ({ method, nodes: [...nodes], is_cut: isCut })
