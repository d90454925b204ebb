import Type, { type Static } from 'typebox'
import { Choice, Closed, Nullable, Text, Whole } from '../shape/shape.ts'
import { LOOK_LIMITS } from './look-limits.ts'

const METHODS = ['css', 'xpath'] as const

/** Body of `POST /v1/looks/{id}/candidates`. */
export const LookPoint = Closed({
  element: Whole(0, LOOK_LIMITS.elements - 1, { description: 'The index of an element of the look.' }),
  method: Type.Optional(
    Nullable(Choice(METHODS), {
      default: null,
      description: 'The language of all rules, for a monitor that has fields already. Null: the one that fits each.',
    }),
  ),
})
export type LookPoint = Static<typeof LookPoint>

const Value = Text(0, LOOK_LIMITS.valueChars, 'The beginning of the value that a run would store, as text.')

const Candidate = Closed({
  method: Choice(METHODS),
  rule: Text(1, 2000, 'The rule for a field of extract_config. A list ends in [].'),
  reason: Text(1, 500, 'Why this rule: "the only element with itemprop=price".'),
  matches: Type.Integer({ minimum: 1, description: 'How many elements, or attributes, it finds.' }),
  fragile: Type.Boolean({ description: 'A small change of the page makes it find something else.' }),
  value: Value,
  attribute: Nullable(Text(1, 200), { description: 'The attribute that it reads. Null: it reads text.' }),
  fetched: Nullable(
    Closed({ value: Value, is_same: Type.Boolean({ description: 'A direct request gives the same value.' }) }),
    { description: 'What it gives without a browser. Null: there is no fetched document, or the rule finds nothing.' },
  ),
})
export type LookCandidate = Static<typeof Candidate>

const few = (most: number, description: string) => Type.Array(Candidate, { maxItems: most, description })

/** The rules that read an element, each list with the best first. */
export const LookCandidates = Closed({
  values: few(8, 'Rules that read its text.'),
  attributes: few(6, 'Rules that read one of its attributes.'),
  lists: few(2, 'Rules that read all elements like it.'),
})
export type LookCandidates = Static<typeof LookCandidates>
