import type { Overview } from '../api/types.ts'
import type { AskedSearch } from './market-words.ts'

type Row = Overview['data'][number]

/** A search, as the overview lists it. */
export type SearchRow = Row & { readonly search: AskedSearch }

/** The searches for one keyword. */
interface KeywordGroup {
  readonly keyword: string
  readonly rows: readonly SearchRow[]
}

const isSearch = (row: Row): row is SearchRow => row.search !== null

/** Returns rows that are ordered by keyword in groups, each row once. */
export function byKeyword(rows: readonly Row[]): readonly KeywordGroup[] {
  const groups: { keyword: string; rows: SearchRow[] }[] = []
  // A new search moves the others by one place: the last of a page is the first of the next one then.
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const row of [...byId.values()].filter(isSearch)) {
    const last = groups.at(-1)
    if (last?.keyword === row.search.keyword) last.rows.push(row)
    else groups.push({ keyword: row.search.keyword, rows: [row] })
  }
  return groups
}

/** Returns the address of the screen of a keyword. */
export const keywordPath = (keyword: string): string => `/searches/keyword?${new URLSearchParams({ keyword })}`
