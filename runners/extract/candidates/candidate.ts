import type { Json } from '../../../schema/shape/json.ts'
import type { Method } from './idea.ts'
import type { CandidateKind } from './order.ts'

/** A rule for `extract_config.fields` that reads an element which somebody pointed at. */
export interface Candidate {
  readonly method: Method
  /** As a person writes it. A list ends in `[]`. */
  readonly rule: string
  readonly kind: CandidateKind
  /** Plain words: "the only element with itemprop=price". */
  readonly reason: string
  /** The number of elements, or attributes, that the rule finds. */
  readonly matches: number
  /** A small change of the page makes it find something else. */
  readonly fragile: boolean
  /** The value that a run stores. */
  readonly value: Json
  /** The attribute that the rule reads; null: it reads text. */
  readonly attribute: string | null
  /** In the other document of the look; null: it has none. */
  readonly other: { readonly value: Json; readonly isSame: boolean } | null
}

/** What can be read of one element, each best first. */
export interface ElementCandidates {
  readonly values: readonly Candidate[]
  readonly attributes: readonly Candidate[]
  /** Lists that the element belongs to. */
  readonly lists: readonly Candidate[]
}
