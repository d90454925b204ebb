import type pg from 'pg'

/** Asks the database of a test. */
export type Query = <T extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<T[]>
