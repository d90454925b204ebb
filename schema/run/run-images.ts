import Type, { type Static } from 'typebox'
import { Closed, Instant, Nullable, Text, Uuid } from '../shape/shape.ts'

const Percent = (description: string) => Type.Number({ minimum: 0, maximum: 100, description })
const Address = (description: string) =>
  Type.String({ maxLength: 2048, description: `${description} Signed: good for five minutes, for whoever has it.` })

/** A region in a run's pictures. */
const RunImagesRegion = Closed({
  regionIndex: Type.Integer({
    minimum: 0,
    maximum: 19,
    description: 'Its place in the configuration; 0 for the page.',
  }),
  label: Text(1, 200, 'As configured, else `region-1`, …; `page` for the whole.'),
  changedPct: Percent('Changed area of the region, in percent.'),
  hasChanges: Type.Boolean(),
  beforeUrl: Nullable(Address('The picture it was compared with; null on the first.')),
  afterUrl: Address('The picture of this run.'),
  diffUrl: Nullable(Address('What changed, in red; null when nothing did.')),
})

/** What a run saw. */
export const RunImages = Closed({
  kind: Type.Literal('visual'),
  aggregateChangePct: Percent('Changed area of all regions together, in percent.'),
  hasChanges: Type.Boolean(),
  regions: Type.Array(RunImagesRegion, { minItems: 1, maxItems: 20 }),
})
export type RunImages = Static<typeof RunImages>

/** A line of a monitor's visual history. */
export const VisualHistoryItem = Closed({
  run_id: Uuid(),
  started_at: Instant(),
  change_pct: Percent('Changed area, in percent.'),
  has_changes: Type.Boolean(),
  thumb_url: Address('A small picture, 320 pixels wide.'),
})
export type VisualHistoryItem = Static<typeof VisualHistoryItem>
