import Type, { type Static } from 'typebox'
import { Choice, Closed, Text, Uuid } from '../shape/shape.ts'

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

/** The texts of a run that differ from those of the run before. */
export const RunDiff = Closed({
  run_id: Uuid(),
  fields: Type.Array(
    Closed({
      field: Text(1, 100, 'Name of the field.'),
      of: Choice(['value', 'page_text'], {
        description: 'value: the value of the field. page_text: the readable text of the page that it is the hash of.',
      }),
      ...TextDiff.properties,
    }),
    { minItems: 1, maxItems: 200 },
  ),
})
export type RunDiff = Static<typeof RunDiff>
