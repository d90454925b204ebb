import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, Nullable, Whole } from '../shape/shape.ts'
import { SERP_ENGINES } from './serp-search.ts'

const SerpEngineState = Closed({
  engine: Choice(SERP_ENGINES),
  left_alone_until: Nullable(
    Instant('It refused, so that no exit asks it until then. Checks in this time fail at once and use no run.'),
    { description: 'Null: it may be asked.' },
  ),
  refusals: Whole(0, 2_147_483_647, { description: 'Refusals in a row. The first healthy check ends them.' }),
})

/** Response of `GET /v1/serp-engines`: the engines, and which of them are left alone in this installation. */
export const SerpEngines = Closed({ data: Type.Array(SerpEngineState, { maxItems: SERP_ENGINES.length }) })
export type SerpEngines = Static<typeof SerpEngines>
