import Type, { type Static } from 'typebox'
import { Dictionary, Tagged, Text, Whole } from '../shape/shape.ts'

/** The most treatments of a field. */
const MOST_TREATMENTS = 10

const Pattern = Text(1, 1000, 'JavaScript pattern, tried on each line or item.')
const Count = Whole(1, 1000, { description: 'How many are kept.' })

/** The keys of each treatment. */
export const TREATMENTS = {
  keep_lines: { pattern: Pattern },
  drop_lines: { pattern: Pattern },
  replace: {
    pattern: Pattern,
    text: Text(0, 1000, 'What takes the place of each match. $1 is the first group of the pattern, $& all of it.'),
  },
  sort: {},
  unique: {},
  first: { count: Count },
  last: { count: Count },
  between: {
    after: Text(1, 1000, 'What is behind the first place of this text is kept.'),
    before: Text(1, 1000, 'What is before the next place of this text is kept.'),
  },
  absolute_links: {},
}

/** What is done to a value before it is compared. Of a list its items are treated, of a text its lines. */
export const Treatment = Tagged('do', TREATMENTS, {
  description: 'What is done to the lines of a text, or to the items of a list.',
  tagged:
    'keep_lines, drop_lines: by a pattern. replace: what a pattern matches. sort, unique. first, last: so many. ' +
    'between: what stands between two texts. absolute_links: addresses that are relative to the page.',
})
export type Treatment = Static<typeof Treatment>

/** The treatments of fields, by their names. */
export const Clean = Dictionary(
  Type.Array(Treatment, { minItems: 1, maxItems: MOST_TREATMENTS, description: 'They are done in this order.' }),
  {
    maxProperties: 50,
    description:
      'Beyond the contract: field name to what is done to its value before it is compared. With it, content_hash of ' +
      'full_page is the hash of the lines that are left of the readable text.',
  },
)
export type Clean = Static<typeof Clean>
