import Type, { type Static, type TSchema } from 'typebox'
import { Closed, Whole } from './shape/shape.ts'

/** Query parameters of every list. A value out of range is refused with 422 and never clamped. */
export const pageQuery = {
  // The upper bound keeps the offset of the page an exact whole number.
  page: Type.Optional(Whole(1, 1_000_000_000_000, { default: 1 })),
  limit: Type.Optional(Whole(1, 100, { default: 20 })),
}

export const Pagination = Closed({
  page: Type.Integer({ minimum: 1 }),
  limit: Type.Integer({ minimum: 1 }),
  total: Type.Integer({ minimum: 0 }),
  totalPages: Type.Integer({ minimum: 0 }),
  hasMore: Type.Boolean(),
})
export type Pagination = Static<typeof Pagination>

/** The envelope of every list. */
export const PageOf = <T extends TSchema>(item: T) => Closed({ data: Type.Array(item), pagination: Pagination })

/** Returns the `pagination` of a list of `total` rows. A page after the last one is an empty page. */
export function paginate(page: number, limit: number, total: number): Pagination {
  const totalPages = Math.ceil(total / limit)
  return { page, limit, total, totalPages, hasMore: page < totalPages }
}
