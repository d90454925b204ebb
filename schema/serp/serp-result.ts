import Type, { type Static } from 'typebox'
import { Closed, Nullable, Text } from '../shape/shape.ts'

/** One organic result of a check. Positions run on over its pages. */
export const SerpResult = Closed({
  position: Type.Integer({ minimum: 1 }),
  title: Text(0, 500),
  url: Text(0, 2048, 'The address without the redirects of the engine. Empty where the engine hides it.'),
  domain: Text(0, 253, 'The host of the address. Empty where the engine hides it.'),
  description: Nullable(Text(0, 1500), { description: 'Null where the engine shows no snippet.' }),
})
export type SerpResult = Static<typeof SerpResult>

/** The block that a delivery of mode `rank_tracking` has beside those of every delivery. */
export const SerpBlock = Closed(
  {
    keyword: Text(1, 2048),
    target_domain: Text(1, 2048),
    rank: Nullable(Type.Integer({ minimum: 1 }), { description: 'Null: not listed.' }),
    previous_rank: Nullable(Type.Integer({ minimum: 1 }), { description: 'Null: was not listed.' }),
    rank_delta: Nullable(Type.Integer(), {
      description: 'previous_rank − rank: positive is better. Null when either is null.',
    }),
  },
  { description: 'On deliveries of SERP monitors with mode rank_tracking.' },
)
export type SerpBlock = Static<typeof SerpBlock>

const ListedResult = Closed({
  rank: Type.Integer({ minimum: 1 }),
  title: Text(0, 500),
  description: Text(0, 1500, 'Empty where the engine shows no snippet.'),
  domain: Text(0, 2048, 'The origin of the site with a trailing slash.'),
})
export type ListedResult = Static<typeof ListedResult>

const Listed = (description: string) => Type.Array(ListedResult, { maxItems: 1_000, description })

/** The block that a delivery of mode `full_analysis` has beside those of every delivery. */
export const SerpAnalysisBlock = Closed(
  {
    keyword: Text(1, 2048),
    results: Listed('The results of this check, as far as the previous one reaches.'),
    previous_results: Listed('The results of the previous check, as far as this one reaches.'),
  },
  { description: 'On deliveries of SERP monitors with mode full_analysis.' },
)
export type SerpAnalysisBlock = Static<typeof SerpAnalysisBlock>
