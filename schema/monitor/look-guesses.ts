import Type, { type Static } from 'typebox'
import { Choice, Closed, Nullable, Text, Whole } from '../shape/shape.ts'
import { DiffPredicate } from './diff-predicate.ts'
import { ExtractConfig } from './extract-config.ts'

/** What may be watched of a page that somebody looks at. */
export const LookGuess = Closed({
  kind: Choice(['price', 'version', 'list', 'feed', 'json', 'table', 'page']),
  label: Text(1, 500, 'Such as "price $19.99".'),
  url: Nullable(Text(1, 16_384), { description: 'The address of a feed that the page names. Null: that of the page.' }),
  extract_config: ExtractConfig,
  diff_predicate: DiffPredicate,
})
export type LookGuess = Static<typeof LookGuess>

const MOST_NODES = 2_000

/** The tree of a document without a picture. */
export const LookOutline = Closed({
  method: Choice(['json_path', 'xpath']),
  read_as: Type.Optional(
    Choice(['document'], { description: 'Rules read it with this key of extract_config. Absent: without one.' }),
  ),
  nodes: Type.Array(
    Closed({
      parent: Nullable(Whole(0, MOST_NODES - 1), { description: 'The index of the node around it. Null: none.' }),
      name: Text(0, 500),
      rule: Text(1, 2000, 'The rule for a field of extract_config that reads it.'),
      all: Nullable(Text(1, 2000), { description: 'The rule of the list of all that are like it. Null: none is.' }),
      value: Text(0, 500, 'The beginning of the value. Of what has parts, their number.'),
      parts: Type.Integer({ minimum: 0 }),
    }),
    { maxItems: MOST_NODES },
  ),
  is_cut: Type.Boolean({ description: 'Parts were left out.' }),
})
export type LookOutline = Static<typeof LookOutline>
