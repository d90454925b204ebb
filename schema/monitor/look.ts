import Type, { type Static } from 'typebox'
import { RUN_FAULTS, type RunFaultCode } from '../run/run-fault.ts'
import { FETCH_REASONS } from '../run/run.ts'
import { Choice, Closed, Instant, JsonObject, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'
import { WebAddress } from '../shape/web-address.ts'
import { ExtractConfig, WaitFor } from './extract-config.ts'
import { LookGuess, LookOutline } from './look-guesses.ts'
import { LOOK_LIMITS } from './look-limits.ts'
import { RequestConfig } from './request-config.ts'
import { RequestHeaders } from './request-headers.ts'
import { Viewport } from './visual-config.ts'

/** Body of `POST /v1/looks`. The keys are those of a monitor, of its `extract_config` and of its `visual_config`. */
export const LookRequest = Closed({
  url: WebAddress('The page, API or feed to look at.'),
  request_headers: Type.Optional(Nullable(RequestHeaders, { default: null })),
  request_config: Type.Optional(Nullable(RequestConfig, { default: null })),
  wait_for: WaitFor,
  viewport: Type.Optional(Viewport),
})
export type LookRequest = Static<typeof LookRequest>

/** Why no rule of a monitor finds an element. */
const UNREADABLE = ['frame', 'shadow_root', 'closed_shadow_root', 'canvas', 'not_in_html', 'too_deep'] as const
export type Unreadable = (typeof UNREADABLE)[number]

const Pixel = Type.Number({ minimum: -LOOK_LIMITS.pixels, maximum: LOOK_LIMITS.pixels })

/** An element that a person sees on the page. */
export const LookElement = Closed({
  box: Closed(
    { x: Pixel, y: Pixel, width: Pixel, height: Pixel },
    { description: 'In pixels of the picture: the part of the element that shows.' },
  ),
  order: Whole(0, 2 ** 31 - 1, { description: 'The order of painting: of two boxes, the one with more is on top.' }),
  parent: Nullable(
    Whole(0, LOOK_LIMITS.elements - 1, { description: 'The index of the nearest element around it. Null: none.' }),
  ),
  tag: Text(1, LOOK_LIMITS.tagChars, 'The name of the element.'),
  text: Text(0, LOOK_LIMITS.textChars, 'The beginning of its text, with single spaces.'),
  path: Nullable(
    Type.Array(Whole(0, 1_000_000), {
      minItems: 1,
      maxItems: LOOK_LIMITS.depth,
      description:
        'Where it is in the rendered document: for each step down from the document, the index among the elements. ' +
        'Null: the document that is read has no such element.',
    }),
  ),
  unreadable: Nullable(
    Choice(UNREADABLE, {
      description:
        'Why no rule reads it. frame: what it shows is another document. shadow_root: it is inside one, which is not ' +
        'in the HTML. closed_shadow_root: what it shows is in one. canvas: it is painted. not_in_html: the HTML as ' +
        'it is parsed has no such element. too_deep: it is nested too deeply. Null: rules read it.',
    }),
  ),
})
export type LookElement = Static<typeof LookElement>

const Cover = Closed({
  element: Whole(0, LOOK_LIMITS.elements - 1, { description: 'The index of the element.' }),
  share_pct: Type.Number({ minimum: 0, maximum: 100, description: 'How much of the view it covers.' }),
})

/** What the browser shows, besides the picture. */
export const LookSeen = {
  elements: Type.Array(LookElement, {
    maxItems: LOOK_LIMITS.elements,
    description: 'The elements with text or a picture, in the order of the document.',
  }),
  covers: Type.Array(Cover, {
    maxItems: LOOK_LIMITS.covers,
    description: 'Elements that stay in front of the page and cover more than 30 percent of the view.',
  }),
}

const DOCUMENT_KINDS = ['html', 'json', 'xml', 'feed', 'other'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

const failure = {
  error_code: Nullable(Choice(Object.keys(RUN_FAULTS) as RunFaultCode[]), { description: 'Why it is not there.' }),
  error_message: Nullable(Text(0, 2000)),
}

const LookDocument = Closed({
  is_there: Type.Boolean({ description: 'It was received, and is kept with the look.' }),
  kind: Nullable(Choice(DOCUMENT_KINDS, { description: 'What it is. Null: it is not there.' })),
  url: Nullable(Text(1, 16_384), { description: 'The address that answered, after redirects.' }),
  http_status: Nullable(Type.Integer()),
  content_type: Nullable(Text(0, 1000)),
  bytes: Nullable(Type.Integer({ minimum: 0 })),
  duration_ms: Nullable(Type.Integer({ minimum: 0 })),
  ...failure,
})
export type LookDocument = Static<typeof LookDocument>

/** The two ways in which a run gets a document. */
export const DOCUMENTS = ['fetched', 'rendered'] as const
export type DocumentName = (typeof DOCUMENTS)[number]

/** What a page is now, to point at. */
export const Look = Closed({
  id: Uuid(),
  url: Text(1, 16_384, 'The address that was asked for.'),
  expires_at: Instant('When the look and its picture are deleted.'),
  picture: Nullable(Text(1, 2000), {
    description: 'The address of the picture, good until expires_at. Null: there is none.',
  }),
  width: Whole(0, 3840, { description: 'Of the picture, in pixels. 0 without one.' }),
  height: Whole(0, 16_384),
  cut: Type.Boolean({ description: 'The page is taller than its picture.' }),
  ...LookSeen,
  documents: Closed(
    { fetched: LookDocument, rendered: LookDocument },
    { description: 'fetched: as a direct request gets it. rendered: as a browser has it when it is at rest.' },
  ),
  needs_browser: Type.Boolean({ description: 'A check of this page would use a browser, as fetch_mode auto decides.' }),
  browser_reason: Nullable(Choice(FETCH_REASONS), { description: 'Why it would. Null: it would not.' }),
  guesses: Type.Array(LookGuess, {
    maxItems: 10,
    description: 'What may be watched, best first: of the rendered document, without one of the fetched document.',
  }),
  outline: Nullable(LookOutline, {
    description: 'The tree of JSON, of a feed or of other XML, or of a file. Null: it is neither.',
  }),
  warnings: Type.Array(Text(1, 500), { maxItems: LOOK_LIMITS.warnings }),
})
export type Look = Static<typeof Look>

/** Body of `POST /v1/looks/{id}/extract`. */
export const LookExtract = Closed({ extract_config: ExtractConfig })

const Matches = Closed({
  count: Type.Integer({ minimum: 0, description: 'How many elements match the rule.' }),
  elements: Type.Array(Whole(0, LOOK_LIMITS.elements - 1), {
    maxItems: LOOK_LIMITS.matches,
    description: 'Of the rendered document: the indexes of those that the look lists.',
  }),
})

/** What one document gives. */
const Extracted = Closed({
  status: Choice(['success', 'error']),
  fields: JsonObject('Field name to value, as a run would store it; empty after an error.'),
  matches: Type.Unsafe<Readonly<Record<string, Static<typeof Matches>>>>({
    type: 'object',
    additionalProperties: Matches,
    maxProperties: 50,
    description: 'Of css and xpath: field name to what its rule matches.',
  }),
  warnings: Type.Array(Text(1, 500), { maxItems: LOOK_LIMITS.warnings }),
  ...failure,
})
export type Extracted = Static<typeof Extracted>

/** The values of each document of a look; null where it is not there. */
export const LookExtracted = Closed({ fetched: Nullable(Extracted), rendered: Nullable(Extracted) })
export type LookExtracted = Static<typeof LookExtracted>
