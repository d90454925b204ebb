import { emptyFieldWarnings } from '../../core/empty-fields.ts'
import type { Invalid } from '../../core/outcome.ts'
import type { KeptDocument } from '../../runners/check/look-documents.ts'
import type { FieldMatches } from '../../runners/extract/matches/match-reader.ts'
import { matchReader } from '../../runners/extract/matches/match-reader.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { LOOK_LIMITS } from '../../schema/monitor/look-limits.ts'
import type { Extracted, LookExtracted } from '../../schema/monitor/look.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { findLook, type NoExtractor, type NoLook, type LookPorts } from './find-look.ts'

interface Wanted {
  readonly teamId: string
  readonly id: string
  readonly config: ExtractConfig
}

type ExtractOutcome = { readonly kind: 'done'; readonly extracted: LookExtracted } | NoExtractor | NoLook | Invalid

/** Extracts the kept documents of a look, as a run would. It fetches nothing and uses no run. */
export async function extractLook(ports: LookPorts, wanted: Wanted): Promise<ExtractOutcome> {
  const { config } = wanted
  const found = await findLook(ports, wanted)
  if (found.kind !== 'found') return found
  if (config.method === 'prompt') return { kind: 'invalid', issues: [NO_PROMPT] }
  const { extractor, look } = found
  const read = async ({ document }: { readonly document: KeptDocument | null }, places: Places) =>
    document && extracted({ extractor, signal: ports.signal }, document, { config, places })
  const { documents, places } = look
  const [fetched, rendered] = await Promise.all([read(documents.fetched, NONE), read(documents.rendered, places)])
  return { kind: 'done', extracted: { fetched, rendered } }
}

const NO_PROMPT = {
  path: 'extract_config.method',
  message: 'must not be prompt: a look asks no model. Preview the monitor, which does.',
}

/** The index of each element by its path. */
type Places = ReadonlyMap<string, number>
const NONE: Places = new Map()

async function extracted(
  { extractor, signal }: { readonly extractor: Extractor; readonly signal: AbortSignal },
  document: KeptDocument,
  { config, places }: { readonly config: ExtractConfig; readonly places: Places },
): Promise<Extracted> {
  const { ok, ...read } = await extractor.read(matchReader(config), document, { signal })
  if (!ok || !('read' in read)) return failed('fault' in read ? read.fault : UNREAD)
  const { extraction, matches } = read.read
  if (!extraction.ok) return failed(extraction.fault)
  const { values, emptied, warnings, scripts } = extraction
  const empty = emptyFieldWarnings({ values, emptied, config, isScripted: scripts === 'many' })
  return {
    status: 'success',
    fields: values,
    matches: Object.fromEntries(matches.map((one) => [one.name, matchesOf(one, places)])),
    warnings: [...warnings, ...empty].slice(0, LOOK_LIMITS.warnings).map((warning) => warning.slice(0, MAX_WARNING)),
    error_code: null,
    error_message: null,
  }
}

const MAX_WARNING = 500
const UNREAD: RunFault = { code: 'internal', message: 'The document could not be read.' }

function matchesOf({ count, paths }: FieldMatches, places: Places): Extracted['matches'][string] {
  const elements = paths.flatMap((path) => places.get(path.join()) ?? [])
  return { count, elements }
}

function failed({ code, message }: RunFault): Extracted {
  return { status: 'error', fields: {}, matches: {}, warnings: [], error_code: code, error_message: message }
}
