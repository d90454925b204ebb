import type { Invalid } from '../../core/outcome.ts'
import type { Candidate } from '../../runners/extract/candidates/candidate.ts'
import { candidatesReader } from '../../runners/extract/candidates/look-readers.ts'
import type { LookCandidate, LookCandidates, LookPoint } from '../../schema/monitor/look-candidates.ts'
import { LOOK_LIMITS } from '../../schema/monitor/look-limits.ts'
import type { Json } from '../../schema/shape/json.ts'
import { findLook, type LookPorts, type NoExtractor, type NoLook } from './find-look.ts'

interface Wanted {
  readonly teamId: string
  readonly id: string
  readonly point: LookPoint
}

type CandidatesOutcome = { readonly kind: 'done'; readonly candidates: LookCandidates } | NoExtractor | NoLook | Invalid

/** Finds the rules that read an element of a look. It fetches nothing and uses no run. */
export async function findCandidates(ports: LookPorts, wanted: Wanted): Promise<CandidatesOutcome> {
  const { point } = wanted
  const found = await findLook(ports, wanted)
  if (found.kind !== 'found') return found
  const { elements, documents } = found.look
  const element = elements[point.element]
  if (!element) return refused(`must be below ${elements.length}, the number of elements of this look`)
  const { path, unreadable } = element
  const { document } = documents.rendered
  if (path === null || document === null)
    return refused(`must be an element that a rule reads: this one is not (${unreadable ?? 'not_in_html'})`)
  const other = documents.fetched.document
  // The first step of a path of the look leads to the root element, where those of candidates begin.
  const asked = { path: path.slice(1), method: point.method ?? null, other }
  const read = await found.extractor.read(candidatesReader(asked), document, { signal: ports.signal })
  const candidates = 'read' in read && 'candidates' in read.read ? read.read.candidates : null
  if (candidates === null) return refused('must be an element that a rule reads: this one was not found in time')
  const { values, attributes, lists } = candidates
  return {
    kind: 'done',
    candidates: { values: values.map(shown), attributes: attributes.map(shown), lists: lists.map(shown) },
  }
}

const refused = (message: string): Invalid => ({ kind: 'invalid', issues: [{ path: 'element', message }] })

const shown = ({ method, rule, reason, matches, fragile, value, attribute, other }: Candidate): LookCandidate => ({
  method,
  rule,
  reason,
  matches,
  fragile,
  attribute,
  value: textOf(value),
  fetched: other && { value: textOf(other.value), is_same: other.isSame },
})

const textOf = (value: Json): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LOOK_LIMITS.valueChars)
