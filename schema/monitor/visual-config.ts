import Type, { type Static } from 'typebox'
import { Closed, Text, Whole } from '../shape/shape.ts'

const Offset = (description: string) => Type.Number({ minimum: 0, maximum: 100_000, description })
const Side = (description: string) => Type.Number({ minimum: 1, maximum: 100_000, description })

/** A rectangle in CSS pixels of the full page. A part of it beyond the page is not shown. */
const Rect = Closed(
  {
    x: Offset('From the left edge of the page.'),
    y: Offset('From the top edge of the page.'),
    width: Side('Width of the rectangle.'),
    height: Side('Height of the rectangle.'),
  },
  { description: 'A rectangle in CSS pixels of the full page.' },
)

const Region = Closed(
  {
    selector: Type.Optional(Text(1, 1000, 'CSS selector of the element to compare.')),
    rect: Type.Optional(Rect),
    label: Type.Optional(Text(1, 200, 'Name of the region for people.')),
  },
  { rules: ['selector_or_rect'], description: 'A part of the page, by a selector or a rectangle.' },
)

/** The size of the browser window. */
export const Viewport = Closed(
  {
    width: Type.Optional(Whole(320, 3840, { default: 1280, description: 'Width in CSS pixels.' })),
    height: Type.Optional(Whole(240, 2160, { default: 720, description: 'Height in CSS pixels.' })),
  },
  { description: 'Size of the browser window.' },
)

/** The visual comparison of a monitor. */
export const VisualConfig = Closed(
  {
    enabled: Type.Boolean({ description: 'Whether screenshots are taken and compared.' }),
    thresholdPct: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        default: 1,
        description: 'Notifies when at least this percentage of the area changed.',
      }),
    ),
    fullPage: Type.Optional(
      Type.Boolean({ default: true, description: 'The whole page. False: only what the viewport shows.' }),
    ),
    regions: Type.Optional(
      Type.Array(Region, {
        maxItems: 20,
        default: [],
        description: 'Compares only these parts. Empty: the whole picture.',
      }),
    ),
    ignoreSelectors: Type.Optional(
      Type.Array(Text(1, 1000), { maxItems: 20, description: 'CSS selectors of elements that are not compared.' }),
    ),
    viewport: Type.Optional(Viewport),
  },
  { description: 'Takes a screenshot at each check and compares it with the previous one, pixel by pixel.' },
)
export type VisualConfig = Static<typeof VisualConfig>
