import Type, { type Static } from 'typebox'
import { Choice, Closed, Tagged, Text, Whole } from '../shape/shape.ts'

const ParameterLocation = Choice(['query', 'body'], { description: 'Where the parameter of a page is written.' })
const DotPath = (description: string) =>
  Text(1, 200, `${description} Dot path with optional leading "$." and numeric array indexes.`)

const everyType = {
  items_path: Type.Optional(DotPath('The array of items. Omit it if the response is an array.')),
  total_path: Type.Optional(DotPath('The total count. Paging stops when it is reached.')),
  has_more_path: Type.Optional(DotPath('A boolean. Paging stops on false.')),
  max_pages: Type.Optional(Whole(1, 50, { default: 20, description: 'Paging stops after this many pages.' })),
}
const Param = Text(1, 200, 'Query parameter name, or dot path into the body.')

/** The way to request the following pages. */
export const Pagination = Tagged(
  'type',
  {
    page: {
      in: ParameterLocation,
      param: Param,
      start: Type.Optional(Whole(0, 1_000_000_000, { default: 1, description: 'The value for the first page.' })),
      step: Type.Optional(Whole(1, 1_000_000, { default: 1, description: 'Added to the value for each next page.' })),
      ...everyType,
    },
    cursor: { in: ParameterLocation, param: Param, cursor_path: DotPath('The next cursor.'), ...everyType },
    next_url: { next_url_path: DotPath('The next URL, which may be relative.'), ...everyType },
    link_header: everyType,
  },
  {
    description: 'How the following pages are requested. Their items are joined.',
    tagged:
      'page: a number that counts. cursor: a value from the response. next_url: an address from the response. ' +
      'link_header: the Link header.',
  },
)
export type Pagination = Static<typeof Pagination>

/** A direct request with method, body and pagination. */
export const RequestConfig = Closed(
  {
    method: Type.Optional(Choice(['GET', 'POST', 'PUT', 'PATCH'], { default: 'GET', description: 'The HTTP method.' })),
    body: Type.Optional(
      Type.String({
        maxLength: 100_000,
        description: 'The body as it is sent. Its type is the content-type of request_headers.',
      }),
    ),
    pagination: Type.Optional(Pagination),
  },
  {
    rules: ['no_body_with_get', 'body_paging_needs_json'],
    description: 'Direct request, never through a browser or proxy.',
  },
)
export type RequestConfig = Static<typeof RequestConfig>
