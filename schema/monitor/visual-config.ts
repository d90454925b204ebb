import Type, { type Static } from 'typebox'
import { Closed, Text, Whole } from '../shape/shape.ts'

const Pixels = Type.Number({ minimum: 0, maximum: 100_000 })

const Side = Type.Number({ minimum: 1, maximum: 100_000 })

/** A rectangle in CSS pixels of the full page. A part of it beyond the page is not shown. */
const Rect = Closed({ x: Pixels, y: Pixels, width: Side, height: Side })

const Region = Closed(
  { selector: Type.Optional(Text(1, 1000)), rect: Type.Optional(Rect), label: Type.Optional(Text(1, 200)) },
  { rules: ['selector_or_rect'] },
)

/** The visual comparison of a monitor. */
export const VisualConfig = Closed(
  {
    enabled: Type.Boolean(),
    thresholdPct: Type.Optional(Type.Number({ minimum: 0, maximum: 100, default: 1 })),
    fullPage: Type.Optional(Type.Boolean({ default: true })),
    regions: Type.Optional(Type.Array(Region, { maxItems: 20, default: [] })),
    ignoreSelectors: Type.Optional(Type.Array(Text(1, 1000), { maxItems: 20 })),
    viewport: Type.Optional(
      Closed({
        width: Type.Optional(Whole(320, 3840, { default: 1280 })),
        height: Type.Optional(Whole(240, 2160, { default: 720 })),
      }),
    ),
  },
  { description: 'Takes a screenshot at each check and compares it with the previous one, pixel by pixel.' },
)
export type VisualConfig = Static<typeof VisualConfig>
