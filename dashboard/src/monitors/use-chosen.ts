import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Overview } from '../api/types.ts'
import { LIMITS } from '../api/types.ts'
import type { OrderedRows, Row } from './ordered-rows.ts'
import { windowQuery } from './use-rows.ts'

/** The monitors that are selected, by their ids. */
interface ChosenRows {
  readonly chosen: ReadonlyMap<string, Row>
  /** Selects or leaves a row; with `isRange` selects all from the one that was chosen last. */
  choose(index: number, isRange: boolean): void
  setChosen(rows: ReadonlyMap<string, Row>): void
}

/** Keeps which rows of a list are selected. */
export function useChosen(rows: OrderedRows, key: string): ChosenRows {
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const last = useRef(0)
  function choose(index: number, isRange: boolean) {
    const [from, to] = isRange ? [Math.min(last.current, index), Math.max(last.current, index)] : [index, index]
    last.current = index
    const row = rows.at(index)
    if (!isRange && row) setChosen((now) => (now.has(row.id) ? without(now, row.id) : new Map(now).set(row.id, row)))
    if (isRange) void select(from, to)
  }
  /** Rows between two that are on the screen may not be read yet. */
  async function select(from: number, to: number) {
    await readBetween(queries, { rows, key, from, to })
    setChosen((now) => {
      const next = new Map(now)
      for (let nth = from; nth <= to; nth += 1) {
        const row = rows.at(nth)
        if (row) next.set(row.id, row)
      }
      return next
    })
  }
  return { chosen, choose, setChosen }
}

function without(rows: ReadonlyMap<string, Row>, id: string): ReadonlyMap<string, Row> {
  const next = new Map(rows)
  next.delete(id)
  return next
}

interface Between {
  readonly rows: OrderedRows
  readonly key: string
  readonly from: number
  readonly to: number
}

async function readBetween(queries: QueryClient, { rows, key, from, to }: Between): Promise<void> {
  for (let page = pageOf(from); page <= pageOf(to); page += 1) {
    const first = Math.max(from, (page - 1) * LIMITS.rows)
    const end = Math.min(to + 1, page * LIMITS.rows, rows.total)
    const isRead = Array.from({ length: Math.max(0, end - first) }, (_, nth) => first + nth).every((nth) =>
      rows.at(nth),
    )
    if (isRead) continue
    const found = await queries.fetchQuery<Overview>(windowQuery(key, page)).catch(() => null)
    if (found && rows.key === key) rows.take(key, page, found)
  }
}

const pageOf = (index: number): number => Math.floor(index / LIMITS.rows) + 1
