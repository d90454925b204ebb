import { type Pagination, paginate } from '../../schema/page-of.ts'

/** The page that a list's query asks for; both are always there, by their defaults. */
interface PageQuery {
  readonly page?: number
  readonly limit?: number
}

/** A page as the statements take it. */
export const windowOf = ({ page = 1, limit = 20 }: PageQuery) => ({ limit, offset: (page - 1) * limit })

/** True when a page of so many rows shows by itself where the list ends, so that nobody has to count. */
export const showsEnd = ({ page = 1, limit = 20 }: PageQuery, rows: number): boolean =>
  rows < limit && (rows > 0 || page === 1)

/** The envelope's `pagination`. The list is counted only where the page does not show its end. */
export async function paginationOf(query: PageQuery, rows: number, count: () => Promise<number>): Promise<Pagination> {
  const { page = 1, limit = 20 } = query
  return paginate(page, limit, showsEnd(query, rows) ? windowOf(query).offset + rows : await count())
}
