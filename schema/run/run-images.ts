import Type, { type Static } from 'typebox'
import { Closed, Instant, Nullable, Text, Uuid } from '../shape/shape.ts'

const Percent = (description: string) => Type.Number({ minimum: 0, maximum: 100, description })
const Address = (description: string) =>
  Type.String({
    maxLength: 2048,
    description: `${description} Signed: valid for five minutes, for anybody who has it.`,
  })

/** A region in a run's pictures. */
const RunImagesRegion = Closed({
  regionIndex: Type.Integer({
    minimum: 0,
    maximum: 19,
    description: 'Index of the region in the configuration; 0 for the complete page.',
  }),
  label: Text(1, 200, 'The configured label, otherwise `region-1`, …; `page` for the complete page.'),
  changedPct: Percent('Changed area of the region, in percent.'),
  hasChanges: Type.Boolean(),
  beforeUrl: Nullable(Address('The previous picture; null on the first run.')),
  afterUrl: Address('The picture of this run.'),
  diffUrl: Nullable(Address('The changes, marked in red; null if nothing changed.')),
})

/** The visual result of a run. */
export const RunImages = Closed({
  kind: Type.Literal('visual'),
  aggregateChangePct: Percent('Changed area of all regions together, in percent.'),
  hasChanges: Type.Boolean(),
  regions: Type.Array(RunImagesRegion, { minItems: 1, maxItems: 20 }),
})
export type RunImages = Static<typeof RunImages>

/** An entry in a monitor's visual history. */
export const VisualHistoryItem = Closed({
  run_id: Uuid(),
  started_at: Instant(),
  change_pct: Percent('Changed area, in percent.'),
  has_changes: Type.Boolean(),
  thumb_url: Address('A small picture, 320 pixels wide.'),
})
export type VisualHistoryItem = Static<typeof VisualHistoryItem>
