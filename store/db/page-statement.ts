import { sql } from 'slonik'
import type { RowSchema } from './row.ts'

/** The part of a list that a statement returns. The numbers are whole; the caller has checked them. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/**
 * Returns the parts of a statement that select a page. The page's numbers are written into the text, and first pages
 * are prepared under the list's name. As parameters they would make Postgres plan again at every call (a generic plan
 * guesses a tenth of the table for an unknown limit), which makes a list of runs over 25 months eight times as
 * expensive. `name` must distinguish everything else that differs in the text. Null: it is not prepared.
 */
export function pageStatement<T>(name: string | null, schema: RowSchema<T>, { limit, offset }: Page) {
  return {
    typed: offset === 0 && name !== null ? sql.prepared(`${name}_${limit}`, schema) : sql.type(schema),
    limit: whole(limit),
    offset: whole(offset),
    /** Rows from the start of the list to the end of the page. */
    reach: whole(limit + offset),
  }
}

function whole(value: number) {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no number of rows`)
  return sql.literalValue(String(value))
}
