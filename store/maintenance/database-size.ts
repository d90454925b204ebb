import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'

const size = row({ bytes: Type.Number() })

/** Returns the bytes of the database. */
export const databaseSize = (store: Queryable): Promise<number> =>
  store.oneFirst(sql.type(size)`select pg_database_size(current_database())::float8 as bytes`)
