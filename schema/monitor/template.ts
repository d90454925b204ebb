import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, Nullable, Text } from '../shape/shape.ts'
import { WebAddress } from '../shape/web-address.ts'
import { DeliveryConfig } from './delivery-config.ts'
import { DiffPredicate } from './diff-predicate.ts'
import { ExtractConfig } from './extract-config.ts'
import { ExternalKey, Labels } from './labels.ts'

/** The audiences of templates. */
const AUDIENCES = ['developer', 'operator', 'both'] as const

/**
 * A template for new monitors. `category` is an open string, because categories may be added. The interval may be
 * shorter than a monitor's minimum; it is raised when a monitor is created.
 */
export const Template = Closed({
  slug: Text(1, 100),
  name: Text(1, 200),
  description: Text(1, 1000),
  category: Text(1, 100),
  audience: Choice(AUDIENCES),
  example_url: Nullable(WebAddress('The address to watch if the request has none. Null: the request must have one.')),
  config: Closed({
    extract: ExtractConfig,
    diff_predicate: DiffPredicate,
    schedule_interval_seconds: Type.Integer({ minimum: 1 }),
  }),
  created_at: Instant(),
})
export type Template = Static<typeof Template>

/** Body of `POST /v1/monitors/from-template/{slug}`. Values that are absent come from the template. */
export const FromTemplate = Closed({
  name: Type.Optional(Text(1, 200)),
  url: Type.Optional(WebAddress('Overrides example_url. Required if example_url is null.')),
  deliveries: Type.Optional(Type.Array(DeliveryConfig, { maxItems: 25, description: 'The plan may allow fewer.' })),
  external_key: Type.Optional(ExternalKey),
  labels: Type.Optional(Labels),
})
export type FromTemplate = Static<typeof FromTemplate>
