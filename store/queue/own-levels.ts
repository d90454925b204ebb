import { sql } from 'slonik'

/**
 * Returns the levels from 1 up to one as rows `own`. A statement asks for each by equality, so that it reads the rows
 * of a level in their order from an index, and never those above.
 */
export const ownLevels = (most: number) => sql.fragment`
  (values ${sql.join(
    Array.from({ length: most }, (_, nth) => sql.fragment`(${sql.literalValue(String(nth + 1))}::smallint)`),
    sql.fragment`, `,
  )}) own (level)`
