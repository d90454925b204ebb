import Type, { type Static } from 'typebox'
import { Choice, Closed, Tagged, Text, Whole } from '../shape/shape.ts'

const Place = Choice(['query', 'body'])
const DotPath = (description: string) =>
  Text(1, 200, `${description} Dot path with optional leading "$." and numeric array indexes.`)

const everyType = {
  items_path: Type.Optional(DotPath('The items array; omit when the response is an array.')),
  total_path: Type.Optional(DotPath('The total count; the loop stops when it is reached.')),
  has_more_path: Type.Optional(DotPath('A boolean; the loop stops on false.')),
  max_pages: Type.Optional(Whole(1, 50, { default: 20 })),
}
const Param = Text(1, 200, 'Query parameter name, or dot path into the body.')

/** How the following pages are asked for. */
export const Pagination = Tagged('type', {
  page: {
    in: Place,
    param: Param,
    start: Type.Optional(Whole(0, 1_000_000_000, { default: 1 })),
    step: Type.Optional(Whole(1, 1_000_000, { default: 1 })),
    ...everyType,
  },
  cursor: { in: Place, param: Param, cursor_path: DotPath('The next cursor.'), ...everyType },
  next_url: { next_url_path: DotPath('The next URL; relative ones are resolved.'), ...everyType },
  link_header: everyType,
})
export type Pagination = Static<typeof Pagination>

/** A direct request with method, body and paging. */
export const RequestConfig = Closed(
  {
    method: Type.Optional(Choice(['GET', 'POST', 'PUT', 'PATCH'], { default: 'GET' })),
    body: Type.Optional(Type.String({ maxLength: 100_000 })),
    pagination: Type.Optional(Pagination),
  },
  {
    rules: ['no_body_with_get', 'body_paging_needs_json'],
    description: 'Always fetched directly, never through a browser or proxy.',
  },
)
export type RequestConfig = Static<typeof RequestConfig>
