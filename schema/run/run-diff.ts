import Type, { type Static } from 'typebox'
import { Choice, Closed, Dictionary, Instant, Text, Uuid } from '../shape/shape.ts'

/** A stretch of text. All that is not `added` is the text before, and all that is not `removed` the text after. */
export const WordPart = Closed({ kind: Choice(['same', 'removed', 'added']), text: Type.String() })
export type WordPart = Static<typeof WordPart>

const Line = (description: string) => Type.Integer({ minimum: 0, description })

/** The difference of two texts, without what is far from every change. */
export const TextDiff = Closed({
  unified: Type.String({ description: 'The hunks of a unified diff; empty if no line differs.' }),
  words: Type.Array(
    Closed({
      before_line: Line('Number of its first line in the text before; from 1.'),
      after_line: Line('Number of its first line in the text after.'),
      parts: Type.Array(WordPart, { description: 'The text of the hunk, by word.' }),
    }),
    { description: 'The same hunks by word.' },
  ),
  lines_added: Type.Integer({ minimum: 0 }),
  lines_removed: Type.Integer({ minimum: 0 }),
  coarse: Type.Boolean({
    description: 'The texts differ so much that everything between their common ends is shown as replaced.',
  }),
})
export type TextDiff = Static<typeof TextDiff>

/** What a run may be compared with: another run by its id, or `seen`. */
export const DiffAgainst = Type.String({
  maxLength: 36,
  pattern: '^(seen|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$',
  description:
    'Beyond the contract: another stored run of the same monitor, which counts as the one before. `seen`: the newest ' +
    'one up to which the caller has marked changes as seen. Default: the run before, as the run found it.',
})

/** Two runs may be of two configurations, each with its fields. */
const MOST_FIELDS = 400

/** The difference of the values of two runs. */
const ChangedValues = Closed(
  {
    fields_changed: Type.Array(Text(1, 100), { maxItems: MOST_FIELDS }),
    before: Dictionary(Type.Unknown(), { maxProperties: MOST_FIELDS }),
    after: Dictionary(Type.Unknown(), { maxProperties: MOST_FIELDS }),
    percent: Dictionary(Type.Number(), {
      maxProperties: MOST_FIELDS,
      description: 'By how much an amount changed, in percent. Of other values, and where it was 0, there is none.',
    }),
  },
  {
    description:
      'Only with `against`, and not of a search, whose results are in both runs: the values that differ, as in the ' +
      '`diff` of a run. Empty where all are equal.',
  },
)

/** The texts of a run that differ from those of the run before, or of another one. */
export const RunDiff = Closed({
  run_id: Uuid(),
  against: Type.Optional(
    Closed(
      { run_id: Uuid(), started_at: Instant() },
      { description: 'Only with `against`: what it is compared with.' },
    ),
  ),
  changed: Type.Optional(ChangedValues),
  fields: Type.Array(
    Closed({
      field: Text(1, 100, 'Name of the field.'),
      of: Choice(['value', 'page_text'], {
        description: 'value: the value of the field. page_text: the readable text of the page that it is the hash of.',
      }),
      ...TextDiff.properties,
    }),
    { maxItems: 200, description: 'Without `against` at least one.' },
  ),
})
export type RunDiff = Static<typeof RunDiff>
