import Type, { type Static } from 'typebox'
import { DiffPredicate } from './diff-predicate.ts'
import { ExtractConfig } from './extract-config.ts'
import { DeliveryConfig } from './delivery-config.ts'
import { Choice, Closed, Instant, Nullable, Text } from '../shape/shape.ts'
import { WebAddress } from '../shape/web-address.ts'

/** Whom a template is for. */
const AUDIENCES = ['developer', 'operator', 'both'] as const

/**
 * A monitor to begin with. `category` is open: more categories may come. The
 * interval may be below what a monitor may have; it is raised when a monitor is made.
 */
export const Template = Closed({
  slug: Text(1, 100),
  name: Text(1, 200),
  description: Text(1, 1000),
  category: Text(1, 100),
  audience: Choice(AUDIENCES),
  example_url: Nullable(WebAddress('Watched when no other address is given; null: one has to be given.')),
  config: Closed({
    extract: ExtractConfig,
    diff_predicate: DiffPredicate,
    schedule_interval_seconds: Type.Integer({ minimum: 1 }),
  }),
  created_at: Instant(),
})
export type Template = Static<typeof Template>

/** Body of `POST /v1/monitors/from-template/{slug}`. What is not given comes from the template. */
export const FromTemplate = Closed({
  name: Type.Optional(Text(1, 200)),
  url: Type.Optional(WebAddress('Overrides example_url; required when that is null.')),
  deliveries: Type.Optional(Type.Array(DeliveryConfig, { maxItems: 25, description: 'Capped further by the plan.' })),
})
export type FromTemplate = Static<typeof FromTemplate>
