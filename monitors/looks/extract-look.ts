import { emptyFieldWarnings } from '../../core/empty-fields.ts'
import type { Invalid } from '../../core/outcome.ts'
import type { KeptDocument } from '../../runners/check/look-documents.ts'
import type { FieldMatches } from '../../runners/extract/matches/match-reader.ts'
import { matchReader } from '../../runners/extract/matches/match-reader.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { LOOK_LIMITS } from '../../schema/monitor/look-limits.ts'
import { DOCUMENTS, type Extracted, type LookExtracted } from '../../schema/monitor/look.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Store } from '../../store/db/client.ts'
import { findLook } from '../../store/looks/looks.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { openDocument } from './kept-document.ts'
import type { KeptLook } from './look-at-page.ts'

/** There is no such look of the team, or no more. */
export interface NoLook {
  readonly kind: 'no_look'
}

/** This process reads nothing. */
export interface NoExtractor {
  readonly kind: 'no_extractor'
}

export interface ExtractPorts {
  readonly store: Store
  readonly secrets: SecretBox
  /** Undefined: this process reads nothing. */
  readonly extractor: Extractor | undefined
  readonly signal: AbortSignal
}

interface Wanted {
  readonly teamId: string
  readonly id: string
  readonly config: ExtractConfig
}

type ExtractOutcome = { readonly kind: 'done'; readonly extracted: LookExtracted } | NoExtractor | NoLook | Invalid

/** Extracts the kept documents of a look, as a run would. It fetches nothing and uses no run. */
export async function extractLook(ports: ExtractPorts, wanted: Wanted): Promise<ExtractOutcome> {
  const { store, secrets, extractor, signal } = ports
  const { teamId, id, config } = wanted
  const found = await findLook(store, { teamId, id })
  if (found === null || !found.is_current) return { kind: 'no_look' }
  if (config.method === 'prompt') return { kind: 'invalid', issues: [NO_PROMPT] }
  if (!extractor) return { kind: 'no_extractor' }
  const { elements } = secrets.open({ teamId, column: 'looks.answer', rowId: id }, found.answer) as KeptLook
  const places = new Map(elements.flatMap(({ path }, index) => (path ? [[path.join(), index]] : [])))
  const [fetched, rendered] = await Promise.all(
    DOCUMENTS.map(async (name) => {
      const sealed = found[name]
      if (sealed === null) return null
      const document = await openDocument(secrets, { teamId, id, name }, sealed)
      return extracted({ extractor, signal }, document, { config, places: name === 'rendered' ? places : NONE })
    }),
  )
  return { kind: 'done', extracted: { fetched: fetched ?? null, rendered: rendered ?? null } }
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
  const { values, warnings, scripts } = extraction
  const empty = emptyFieldWarnings({ values, config, isScripted: scripts === 'many' })
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
